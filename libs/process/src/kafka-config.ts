import type { KafkaLogOptions } from '@countersign/event-log/kafka/kafka-options';
import { z } from 'zod';
import { type Environment, flag, list, type ParsedConfig, readSettings } from './settings.js';

const LANE = /^[a-z][a-z0-9-]{0,31}$/;

/** The variables that define the cluster, its login and the topic names. */
export const clusterVariables = {
  COUNTERSIGN_KAFKA_BROKERS: list('').describe(
    'bootstrap brokers; for distributed mode, set them together with the registry, the database and Redis',
  ),
  COUNTERSIGN_KAFKA_USERNAME: z.string().min(1).optional().describe('SASL user of this service ([Kafka rights](../how-to/kafka-acls.md))'),
  COUNTERSIGN_KAFKA_PASSWORD: z.string().min(1).optional().describe('its password'),
  COUNTERSIGN_KAFKA_SASL: z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).default('plain').describe('SASL mechanism'),
  COUNTERSIGN_KAFKA_SSL: flag.describe('use TLS to the brokers'),
  COUNTERSIGN_TOPIC_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{0,64}$/, 'at most 64 of A-Z a-z 0-9 _ -')
    .default('')
    .describe('prefix of all topics and consumer groups on a shared cluster'),
  COUNTERSIGN_LANES: list('shared')
    .refine(
      (lanes) => lanes.length > 0 && lanes.every((lane) => LANE.test(lane)),
      'a comma-separated list of lane names ([a-z][a-z0-9-]*, at most 32 characters)',
    )
    .describe('lanes that this process serves'),
};

const schema = z.object(clusterVariables);
type Settings = z.output<typeof schema>;

/** SASL credentials of this service; docs/how-to/kafka-acls.md lists the topics that they may write. */
interface KafkaLogin {
  mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  username: string;
  password: string;
}

/** The settings of a Kafka cluster for its clients. */
export interface KafkaCluster {
  brokers: string[];
  topic_prefix: string;
  login: KafkaLogin | undefined;
  ssl: boolean;
}

export function loginFaults(env: Environment): string[] {
  const { COUNTERSIGN_KAFKA_USERNAME: username, COUNTERSIGN_KAFKA_PASSWORD: password } = env;
  return !username === !password ? [] : ['COUNTERSIGN_KAFKA_USERNAME and COUNTERSIGN_KAFKA_PASSWORD: set both or neither'];
}

export function clusterOf(value: Settings): KafkaCluster {
  const { COUNTERSIGN_KAFKA_USERNAME: username, COUNTERSIGN_KAFKA_PASSWORD: password, COUNTERSIGN_KAFKA_SASL: mechanism } = value;
  return {
    brokers: value.COUNTERSIGN_KAFKA_BROKERS,
    topic_prefix: value.COUNTERSIGN_TOPIC_PREFIX,
    login: username && password ? { mechanism, username, password } : undefined,
    ssl: value.COUNTERSIGN_KAFKA_SSL,
  };
}

/** The settings as options of a client. */
export function clientOptions({ brokers, login, ssl }: KafkaCluster): Pick<KafkaLogOptions, 'brokers' | 'sasl' | 'ssl'> {
  return { brokers, ...(login ? { sasl: login } : {}), ssl };
}

/** For programs that only need Kafka, like an administrator's script. */
export function parseKafkaCluster(env: Environment): ParsedConfig<KafkaCluster & { lanes: string[] }> {
  const parsed = readSettings(schema, env);
  const faults = 'faults' in parsed ? [...parsed.faults, ...loginFaults(env)] : loginFaults(env);
  if ('faults' in parsed) return { faults };
  const cluster = clusterOf(parsed.config);
  if (cluster.brokers.length === 0) faults.unshift('COUNTERSIGN_KAFKA_BROKERS: missing');
  return faults.length > 0 ? { faults } : { config: { ...cluster, lanes: parsed.config.COUNTERSIGN_LANES } };
}
