import { useEffect, useMemo, useState } from 'preact/hooks';
import { answerOf } from '../gateway/answer.js';
import { useApi, useReachable, useSessionState } from '../gateway/context.js';
import { type DraftCheck, DraftChecker } from './draft-checker.js';

/** Checks a text of the draft whenever it is another one, and again after a new sign-in or when the gateway is back. */
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
    if (is_reachable && kind === 'active') void checker.check(text);
  }, [checker, text, is_reachable, kind]);
  useEffect(() => () => checker.stop(), [checker]);
  return check;
}
