import type { EventLog } from '@countersign/event-log';

/** The log with another `append`. */
export function logWithAppend(log: EventLog, append: EventLog['append']): EventLog {
  return new Proxy(log, {
    get: (target, name) => (name === 'append' ? append : (Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name))),
  });
}
