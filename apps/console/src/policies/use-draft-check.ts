import { useEffect, useMemo, useState } from 'preact/hooks';
import { answerOf, UNREACHABLE } from '../gateway/answer.js';
import { useApi, useReachable, useSessionState } from '../gateway/context.js';
import { type DraftCheck, DraftChecker } from './draft-checker.js';

const AGAIN_MS = 1_000;

/**
 * Checks a text of the draft whenever it is another one, and again after a new sign-in. What could not be checked without a connection is
 * checked when the gateway is back, and soon after a failure that arrived later than that.
 */
export function useDraftCheck(text: string): DraftCheck | undefined {
  const api = useApi();
  const is_reachable = useReachable();
  const { kind } = useSessionState();
  const [check, setCheck] = useState<DraftCheck>();
  const checker = useMemo(
    () => new DraftChecker((bundle, signal) => answerOf(api.POST('/v1/policies:check', { body: { bundle }, signal })), setCheck),
    [api],
  );
  useEffect(() => {
    if (kind === 'active') void checker.check(text);
  }, [checker, text, kind]);
  useEffect(() => {
    if (!is_reachable || check?.kind !== 'unchecked' || check.problem !== UNREACHABLE) return;
    const timer = setTimeout(() => void checker.check(check.text), AGAIN_MS);
    return () => clearTimeout(timer);
  }, [checker, check, is_reachable]);
  useEffect(() => () => checker.stop(), [checker]);
  return check;
}
