import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent } from 'undici';
import { Api } from './api.js';
import { freePort, TestedProcess } from './child-process.js';

/** What a platform prints once its port is its own. */
const LISTENS = 'Countersign listens on';

/** Everything in one process on its own data directory: what `npm start` runs. */
export class EmbeddedPlatform {
  private constructor(
    readonly dir: string,
    readonly base: string,
    readonly process: TestedProcess,
    private readonly agent: Agent,
  ) {}

  static async create(env: Record<string, string> = {}): Promise<EmbeddedPlatform> {
    const dir = mkdtempSync(path.join(tmpdir(), 'countersign-e2e-'));
    const port = await freePort();
    const workspace = path.join(dir, 'workspace');
    mkdirSync(workspace);
    const process = new TestedProcess('apps/standalone/dist/main.js', {
      COUNTERSIGN_PORT: String(port),
      COUNTERSIGN_DATA_DIR: path.join(dir, 'data'),
      COUNTERSIGN_WORKSPACE_ROOT: workspace,
      COUNTERSIGN_RECORDS_ROOT: path.join(dir, 'records'),
      COUNTERSIGN_PACKS: 'workspace,git,patterns,probe,http',
      COUNTERSIGN_TEST_STRICT_ANSWERS: 'true',
      ...env,
    });
    return new EmbeddedPlatform(
      dir,
      `http://127.0.0.1:${port}`,
      process,
      new Agent({ connections: 300, pipelining: 1, headersTimeout: 90_000, bodyTimeout: 90_000 }),
    );
  }

  static async start(env: Record<string, string> = {}): Promise<EmbeddedPlatform> {
    const platform = await EmbeddedPlatform.create(env);
    try {
      await platform.up();
    } catch (fault) {
      await platform.close();
      throw fault;
    }
    return platform;
  }

  /** The folder of tenant `default` in the workspace. */
  get workspace(): string {
    return path.join(this.workspaceRoot, 'default');
  }

  get workspaceRoot(): string {
    return path.join(this.dir, 'workspace');
  }

  get records(): string {
    return path.join(this.dir, 'records');
  }

  get dataDir(): string {
    return path.join(this.dir, 'data');
  }

  /** Starts (again) on the same data directory and waits until the platform is ready. It says that it listens: so nothing else answers here. */
  async up(env: Record<string, string> = {}): Promise<void> {
    const before = this.process.logged(LISTENS);
    this.process.start(env);
    const listens = () => this.process.logged(LISTENS) > before;
    await this.process.until('ready', async () => listens() && (await fetch(`${this.base}/readyz`)).status === 200);
    if (readdirSync(this.workspaceRoot).every((name) => name.startsWith('.countersign'))) mkdirSync(this.workspace);
  }

  /** The caller with the admin key of the first start. */
  admin(): Api {
    return new Api(this.base, readFileSync(path.join(this.dataDir, 'admin.key'), 'utf8').trim(), this.agent);
  }

  async close(): Promise<void> {
    await this.process.stop();
    await this.agent.destroy();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
