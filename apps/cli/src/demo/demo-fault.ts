/** A step of the demo that the server refused or did not answer, in words for the person who runs it. */
export class DemoFault extends Error {}

interface Answered<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of an answer. @throws DemoFault if it was refused */
export async function answerTo<T>(what: string, sent: Promise<Answered<T>>): Promise<T> {
  const { data, error, response } = await sent.catch((cause: Error) => {
    throw new DemoFault(`${what}: no answer (${cause.message})`);
  });
  if (response.ok) return data as T;
  const { detail, reason } = (error ?? {}) as { detail?: string; reason?: string };
  throw new DemoFault(`${what}: ${response.status} ${reason ?? ''} ${detail ?? ''}`);
}
