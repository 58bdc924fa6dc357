// containers.mjs COMMAND...: the parts of docker-compose.yml through testcontainers, the command with their addresses, its exit code.
// For machines where a Docker engine answers; without one scripts/real/test-real.sh starts the same parts itself.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { DockerComposeEnvironment, Wait } from 'testcontainers';

const parts = ['kafka', 'apicurio', 'postgres', 'redis'];
const ports = { kafka: 19200, sasl: 19202, registry: 19210, postgres: 19211, redis: 19212 };
const project = `countersign-real-${process.pid}`;
const root = fileURLToPath(new URL('../..', import.meta.url));
const start = (part) => compose(`up -d --wait --no-recreate ${part}`);
const files = ['docker-compose.yml', 'scripts/real/containers.yml'];
const compose = (action) => `docker compose -p ${project} ${files.map((file) => `-f ${root}${file}`).join(' ')} ${action}`;

let environment = new DockerComposeEnvironment(root, files).withProjectName(project).withEnvironment({
  COUNTERSIGN_KAFKA_PORT: String(ports.kafka),
  COUNTERSIGN_KAFKA_SASL_PORT: String(ports.sasl),
  COUNTERSIGN_REGISTRY_PORT: String(ports.registry),
  COUNTERSIGN_POSTGRES_PORT: String(ports.postgres),
  COUNTERSIGN_REDIS_PORT: String(ports.redis),
});
for (const part of parts) environment = environment.withWaitStrategy(`${part}-1`, Wait.forHealthCheck());

const started = await environment.up(parts);
const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, {
  stdio: 'inherit',
  env: {
    ...process.env,
    COUNTERSIGN_TEST_KAFKA: `127.0.0.1:${ports.kafka}`,
    COUNTERSIGN_TEST_KAFKA_SASL: `127.0.0.1:${ports.sasl}`,
    COUNTERSIGN_TEST_KAFKA_KILL: compose('kill kafka'),
    COUNTERSIGN_TEST_KAFKA_START: start('kafka'),
    COUNTERSIGN_TEST_POSTGRES_KILL: compose('kill postgres'),
    COUNTERSIGN_TEST_POSTGRES_START: start('postgres'),
    COUNTERSIGN_TEST_REDIS_KILL: compose('kill redis'),
    COUNTERSIGN_TEST_REDIS_START: start('redis'),
    COUNTERSIGN_TEST_REGISTRY: `http://127.0.0.1:${ports.registry}/apis/ccompat/v7`,
    COUNTERSIGN_TEST_DATABASE_URL: `postgresql://countersign@127.0.0.1:${ports.postgres}/countersign`,
    COUNTERSIGN_TEST_REDIS_URL: `redis://127.0.0.1:${ports.redis}/0`,
  },
});
const code = await new Promise((resolve) => child.on('close', (exit) => resolve(exit ?? 1)));
await started.down({ removeVolumes: true });
process.exitCode = code;
