import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { Agent } from 'undici';
import { Api } from './api.js';
import { freePort, TestedProcess } from './child-process.js';

const PARTS = [
  'COUNTERSIGN_TEST_KAFKA',
  'COUNTERSIGN_TEST_REGISTRY',
  'COUNTERSIGN_TEST_DATABASE_URL',
  'COUNTERSIGN_TEST_REDIS_URL',
  'COUNTERSIGN_TEST_S3',
] as const;

/** The addresses of the external services. @throws if one is missing: these tests are never skipped. */
export function realParts(): Record<(typeof PARTS)[number], string> {
  const missing = PARTS.filter((name) => !process.env[name]);
  if (missing.length > 0) throw new Error(`${missing.join(', ')} not set: run npm run test:real, which starts the real parts`);
  return Object.fromEntries(PARTS.map((name) => [name, process.env[name] as string])) as Record<(typeof PARTS)[number], string>;
}

interface Member {
  process: TestedProcess;
  health: string;
}

/** The services as separate processes on real Kafka, registry, Postgres and Redis; topics and database belong to this platform. */
export class DistributedPlatform {
  readonly members = new Map<string, Member>();

  private constructor(
    readonly dir: string,
    readonly base: string,
    readonly prefix: string,
    private readonly env: Record<string, string>,
    private readonly database: string,
    private readonly agent: Agent,
  ) {}

  static async create(env: Record<string, string> = {}): Promise<DistributedPlatform> {
    const parts = realParts();
    const dir = mkdtempSync(path.join(tmpdir(), 'countersign-real-'));
    mkdirSync(path.join(dir, 'workspace'));
    const name = `cs_${randomBytes(5).toString('hex')}`;
    await runSql(parts.COUNTERSIGN_TEST_DATABASE_URL, `CREATE DATABASE ${name}`);
    const url = new URL(parts.COUNTERSIGN_TEST_DATABASE_URL);
    url.pathname = `/${name}`;
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    const common = {
      COUNTERSIGN_KAFKA_BROKERS: parts.COUNTERSIGN_TEST_KAFKA,
      COUNTERSIGN_SCHEMA_REGISTRY_URL: parts.COUNTERSIGN_TEST_REGISTRY,
      COUNTERSIGN_DATABASE_URL: url.href,
      COUNTERSIGN_REDIS_URL: parts.COUNTERSIGN_TEST_REDIS_URL,
      COUNTERSIGN_S3_ENDPOINT: parts.COUNTERSIGN_TEST_S3,
      COUNTERSIGN_S3_BUCKET: 'countersign',
      COUNTERSIGN_S3_ACCESS_KEY_ID: 'countersign',
      COUNTERSIGN_S3_SECRET_ACCESS_KEY: 'countersign-secret',
      COUNTERSIGN_TOPIC_PREFIX: `${name}-`,
      COUNTERSIGN_MASTER_KEY: randomBytes(32).toString('base64'),
      COUNTERSIGN_PORT: String(port),
      COUNTERSIGN_DATA_DIR: path.join(dir, 'data'),
      COUNTERSIGN_WORKSPACE_ROOT: path.join(dir, 'workspace'),
      COUNTERSIGN_RECORDS_ROOT: path.join(dir, 'records'),
      COUNTERSIGN_PACKS: 'workspace,git,patterns,probe,http',
      COUNTERSIGN_TEST_STRICT_ANSWERS: 'true',
      ...env,
    };
    return new DistributedPlatform(
      dir,
      base,
      `${name}-`,
      common,
      name,
      new Agent({ connections: 300, pipelining: 1, headersTimeout: 90_000, bodyTimeout: 90_000 }),
    );
  }

  /** All five services, one of each. */
  static async start(env: Record<string, string> = {}): Promise<DistributedPlatform> {
    const platform = await DistributedPlatform.create(env);
    for (const app of ['policy', 'projector', 'executor', 'orchestrator', 'gateway']) await platform.add(app, app);
    try {
      await platform.ready();
      mkdirSync(platform.workspace, { recursive: true });
    } catch (fault) {
      await platform.close();
      throw fault;
    }
    return platform;
  }

  /** The folder of tenant `default` in the workspace. */
  get workspace(): string {
    return path.join(this.dir, 'workspace', 'default');
  }

  get records(): string {
    return path.join(this.dir, 'records');
  }

  get databaseUrl(): string {
    return this.env.COUNTERSIGN_DATABASE_URL as string;
  }

  /** Adds a member with its own name, for example a second executor. Does not wait. */
  async add(name: string, app: string, env: Record<string, string> = {}): Promise<void> {
    const port = app === 'gateway' ? Number(env.COUNTERSIGN_PORT ?? this.env.COUNTERSIGN_PORT) : await freePort();
    const process = new TestedProcess(`apps/${app}/dist/main.js`, { ...this.env, COUNTERSIGN_HEALTH_PORT: String(port), ...env });
    this.members.set(name, { process, health: `http://127.0.0.1:${port}/readyz` });
    process.start();
  }

  member(name: string): TestedProcess {
    const member = this.members.get(name);
    if (!member) throw new Error(`no member ${name}; there are ${[...this.members.keys()].join(', ')}`);
    return member.process;
  }

  /** Starts an ended member again, with additional environment. Does not wait. */
  restart(name: string, env: Record<string, string> = {}): void {
    this.member(name).start(env);
  }

  async ready(name?: string): Promise<void> {
    const waited = name ? [this.members.get(name) as Member] : [...this.members.values()].filter((member) => member.process.alive);
    await Promise.all(
      waited.map(({ process, health }) => process.until('ready', async () => (await fetch(health)).status === 200, 90_000)),
    );
  }

  /** Whether a member reports that it is ready; a member that does not respond is not. */
  async isReady(name: string): Promise<boolean> {
    const { health } = this.members.get(name) as Member;
    return (await fetch(health).catch(() => undefined))?.status === 200;
  }

  /** The Prometheus metrics of a member. */
  async metrics(name: string): Promise<string> {
    const { health } = this.members.get(name) as Member;
    return (await fetch(health.replace('/readyz', '/metrics'))).text();
  }

  admin(): Api {
    return new Api(this.base, readFileSync(path.join(this.dir, 'data', 'admin.key'), 'utf8').trim(), this.agent);
  }

  /** The `status` of a member's readiness. */
  async readiness(name: string): Promise<unknown> {
    const { health } = this.members.get(name) as Member;
    return ((await (await fetch(health)).json()) as { status: unknown }).status;
  }

  /** Keeps a copy of the database for `restoreDatabase`; no service is connected. */
  keepDatabase(): Promise<void> {
    return runSql(realParts().COUNTERSIGN_TEST_DATABASE_URL, `CREATE DATABASE ${this.database}_kept TEMPLATE ${this.database}`);
  }

  async restoreDatabase(): Promise<void> {
    const url = realParts().COUNTERSIGN_TEST_DATABASE_URL;
    await runSql(url, `DROP DATABASE ${this.database} WITH (FORCE)`);
    await runSql(url, `CREATE DATABASE ${this.database} TEMPLATE ${this.database}_kept`);
  }

  /** Deletes the database with all its content and creates an empty one. */
  async loseDatabase(): Promise<void> {
    const url = realParts().COUNTERSIGN_TEST_DATABASE_URL;
    await runSql(url, `DROP DATABASE ${this.database} WITH (FORCE)`);
    await runSql(url, `CREATE DATABASE ${this.database}`);
  }

  async close(): Promise<void> {
    await Promise.all([...this.members.values()].map(({ process }) => process.stop()));
    await this.agent.destroy();
    for (const name of [this.database, `${this.database}_kept`])
      await runSql(realParts().COUNTERSIGN_TEST_DATABASE_URL, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    rmSync(this.dir, { recursive: true, force: true });
  }
}

async function runSql(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text);
  await client.end();
}
