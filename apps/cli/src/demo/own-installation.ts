import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DemoFault } from './demo-fault.js';

const MAIN = fileURLToPath(new URL('../../../standalone/dist/main.js', import.meta.url));
/** Loaded as a pack from outside, as an operator would: a folder. */
const OPERATIONS = fileURLToPath(new URL('../../../../packs/operations', import.meta.url));
const READY_WITHIN_MS = 90_000;
const LOOK_MS = 100;

/** True if an installation answers there. */
export async function isRunning(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}

/** An installation for the demo alone, with a data folder of its own; it runs until this process is stopped. */
export class OwnInstallation {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    private readonly folder: string,
  ) {}

  static async start(folder: string, port: number, around: Readonly<Record<string, string | undefined>>): Promise<OwnInstallation> {
    if (!existsSync(MAIN)) throw new DemoFault('the platform is not built: run npm run build');
    mkdirSync(folder, { recursive: true });
    const env = {
      ...around,
      COUNTERSIGN_PORT: String(port),
      COUNTERSIGN_DATA_DIR: path.join(folder, 'data'),
      COUNTERSIGN_WORKSPACE_ROOT: path.join(folder, 'workspace'),
      COUNTERSIGN_DEMO_ROOT: path.join(folder, 'systems'),
      OPERATIONS_ROOT: path.join(folder, 'operations'),
      COUNTERSIGN_PACKS: `workspace,demo,${OPERATIONS}`,
    };
    const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    const own = new OwnInstallation(child, `http://127.0.0.1:${port}`, folder);
    await own.ready();
    return own;
  }

  get admin_key(): string {
    return readFileSync(path.join(this.folder, 'data', 'admin.key'), 'utf8').trim();
  }

  /** Resolves when the installation has ended. */
  async ended(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
  }

  async stop(): Promise<void> {
    this.child.kill();
    await this.ended();
  }

  private async ready(): Promise<void> {
    for (const end = performance.now() + READY_WITHIN_MS; performance.now() < end; await sleep(LOOK_MS)) {
      if (this.child.exitCode !== null) throw new DemoFault('the installation of the demo did not start');
      if (await isRunning(this.url)) return;
    }
    await this.stop();
    throw new DemoFault('the installation of the demo was not ready in time');
  }
}
