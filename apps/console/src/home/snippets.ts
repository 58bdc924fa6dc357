import { type FirstStep, firstSteps } from '@countersign/client/first-steps';

/** The snippets for this installation, with a key that is known; none where its address needs quoting. */
export function snippetsFor(url: string, key: string | undefined): FirstStep[] {
  try {
    return firstSteps({ url, ...(key ? { key } : {}) });
  } catch {
    return [];
  }
}

/** The call of the first step with inputs that the first rule asks a person about. */
export const askingCall = (curl: string): string => curl.replace('"path":"hello.txt"', '"path":"notes/hello.txt"');
