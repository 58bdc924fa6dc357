import type { z } from 'zod';
import type { Role } from '../identity/authenticator.js';

/** One operation of the HTTP API, as /openapi.json tells it. */
export interface ApiRoute {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  summary: string;
  tag: string;
  /** One that takes `undefined` may be left out. */
  body?: z.ZodType;
  query?: z.ZodRawShape;
  /** Headers that it takes besides those of every request: what each does. */
  headers?: Readonly<Record<string, string>>;
  /** Status of success → name of the schema that it answers with, or a content type where it is no JSON. */
  answers: Readonly<Record<string, string>>;
  /** Who may; admin always may. Absent or empty: every principal of the tenant. Must say what the controller asks for. */
  roles?: readonly Role[];
  /** No GET, and served also while the record is damaged: it leaves the record of the tenant as it is, or mends what is damaged. */
  reads?: boolean;
  /** No token is needed. */
  open?: boolean;
}
