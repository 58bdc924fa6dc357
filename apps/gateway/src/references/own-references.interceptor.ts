import { badReference, type Caller } from '@countersign/calls';
import { resolveCaseId } from '@countersign/domain';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { AuthenticatedRequest } from '../http/current-caller.decorator.js';

type Values = Record<string, unknown>;

const METADATA = /^metadata\.([a-z]\w*)$/;

/**
 * Resolves references of callers for every route, before the schema is checked: `ext:<external_id>` in a path or query becomes the id of
 * that case in the caller's tenant, and `metadata.<key>=<value>` parameters become one object. Services resolve those in bodies.
 */
@Injectable()
export class OwnReferencesInterceptor implements NestInterceptor {
  /** @throws {Refusal} `invalid-request` if the text after `ext:` cannot be a reference. */
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { caller, params, query } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (caller) for (const values of [params, query] as Values[]) resolve(caller, values);
    collectMetadata(query as Values);
    return next.handle();
  }
}

function resolve({ tenant_id }: Caller, values: Values | undefined): void {
  const named = values?.case_id;
  if (typeof named !== 'string') return;
  const case_id = resolveCaseId(tenant_id, named);
  if (case_id === undefined) throw badReference('/case_id');
  (values as Values).case_id = case_id;
}

/** Leaves other names in place, and the schema of the query refuses them. */
function collectMetadata(query: Values): void {
  if (query?.metadata !== undefined) return;
  const entries = Object.keys(query ?? {}).flatMap((name) => {
    const key = METADATA.exec(name)?.[1];
    return key === undefined ? [] : [[name, key] as const];
  });
  if (entries.length === 0) return;
  query.metadata = Object.fromEntries(entries.map(([name, key]) => [key, query[name]]));
  for (const [name] of entries) delete query[name];
}
