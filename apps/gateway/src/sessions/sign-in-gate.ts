import type { SignInGuard } from './sign-in-guard.js';
import type { SignInRecord } from './sign-in-record.js';

/** What every way to sign in passes: the checks of its request, and its record. */
export class SignInGate {
  constructor(
    readonly guard: SignInGuard,
    readonly record: SignInRecord,
  ) {}
}
