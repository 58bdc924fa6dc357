/** The points at which chaos runs kill a process (test/chaos/named-crashes.ts). */
export const crashPoints = [
  'gateway.before_request',
  'gateway.after_request',
  'orchestrator.before_records',
  'orchestrator.after_records',
  'policy.before_ruling',
  'policy.after_ruling',
  'executor.before_claim',
  'executor.after_claim',
  'executor.after_started',
  'executor.after_effect',
  'executor.after_end',
  'executor.before_commit',
  'projector.before_rows',
  'projector.after_rows',
] as const;
export type CrashPoint = (typeof crashPoints)[number];

let armed: CrashPoint | undefined;
let passes = 0;

/** Arms one point, as `name[:nth]`: the nth pass kills the process with SIGKILL. @throws if the name is none of these. */
export function armCrashPoint(spec: string): void {
  const [name, nth] = spec.split(':');
  const point = crashPoints.find((candidate) => candidate === name);
  if (!point) throw new Error(`COUNTERSIGN_CRASH_AT: ${name} is not one of ${crashPoints.join(', ')}`);
  armed = point;
  passes = Number(nth ?? 1);
}

/** Kills the process, like a power failure, if this point is armed; otherwise costs one comparison. */
export function crashPoint(point: CrashPoint): void {
  if (armed !== point || --passes > 0) return;
  process.kill(process.pid, 'SIGKILL');
}
