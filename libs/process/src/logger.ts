import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { liveSecrets } from './masking/live-secrets.js';

export type Logger = PinoLogger;

/** Paths that are redacted in every log line, whatever a caller logs. */
const SECRET_PATHS = [
  'authorization',
  'headers.authorization',
  'req.headers.authorization',
  'headers.cookie',
  'req.headers.cookie',
  'cookie',
  'set_cookie',
  'request_token',
  'token',
  'user_token',
  'key',
  'password',
  'secret',
  '*.authorization',
  '*.token',
  '*.user_token',
  '*.password',
  '*.secret',
  '*.api_key',
  '*.admin_key',
  '*.cookie',
  '*.set_cookie',
  '*.request_token',
  '*.sign_in_url',
];

/** Structured logs on stdout (or `to`), secrets redacted. `level` is a pino level or `silent`. */
export function createLogger(service: string, level: string, to: DestinationStream = pino.destination(1)): Logger {
  const options = {
    level,
    base: { service },
    hooks: { streamWrite: (line: string) => liveSecrets.line(line) },
    redact: { paths: SECRET_PATHS, censor: '[redacted]' },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
  };
  return pino(options, to);
}

/** Sends Nest's own messages to pino: startup messages at debug, errors as errors. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }
  error(message: unknown, ...more: unknown[]): void {
    const text = message instanceof Error ? (message.stack ?? message.message) : String(message);
    // Nest logs an error that it then throws: the code that started the application logs it once.
    if (more.at(-1) === 'NestApplication') this.logger.debug({ more }, text);
    else this.logger.error({ more }, text);
  }
  warn(message: unknown, context?: string): void {
    this.logger.warn({ context }, String(message));
  }
  debug(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }
  verbose(message: unknown, context?: string): void {
    this.logger.trace({ context }, String(message));
  }
}
