type Content = Record<string, { example?: unknown }>;

/** A request to an operation and its response. */
interface Example {
  request?: unknown;
  status: number;
  media_type: string;
  answer?: unknown;
}

/** By method and path. */
export type Examples = Readonly<Record<string, Example>>;

interface Documented {
  requestBody?: object;
  responses: Record<string, unknown>;
}

/** Adds the example to the content of its media type, if the operation declares it. */
function put(content: Content | undefined, media_type: string, example: unknown): void {
  const declared = content?.[media_type];
  if (declared && example !== undefined) declared.example = example;
}

/** Adds an example to each operation that has one. Changes the document in place. */
export function withExamples<T extends { paths: Record<string, Record<string, Documented>> }>(document: T, examples: Examples): T {
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { requestBody, responses }] of Object.entries(methods)) {
      const example = examples[`${method.toUpperCase()} ${path}`];
      if (!example) continue;
      put((requestBody as { content?: Content } | undefined)?.content, 'application/json', example.request);
      const { content } = (responses[String(example.status)] ?? {}) as { content?: Content };
      put(content, example.media_type, example.answer);
    }
  return document;
}
