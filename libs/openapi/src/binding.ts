/** How one value of the inputs is written: the styles of OpenAPI 3, and `json` for parameters with a `content` of JSON. */
export type ValueStyle = 'simple' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'json';

/** A parameter of an operation, and the input that fills it. */
export interface ParameterBinding {
  input: string;
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  style: ValueStyle;
  explode: boolean;
  /** Reserved characters of URLs are sent as they are (`allowReserved`). */
  reserved?: true;
}

/** A property of a form whose style the document declares. Undeclared ones: arrays repeat their name, objects are JSON. */
export interface FieldStyle {
  style: ValueStyle;
  explode: boolean;
}

/** The body of an operation: one input, or a property for each of the listed inputs. */
export interface BodyBinding {
  kind: 'json' | 'form' | 'text';
  content_type: string;
  from: { input: string } | { properties: string[] };
  styles?: Record<string, FieldStyle>;
}

/** A credential of a request, made of a secret of the tenant. */
export interface CredentialBinding {
  secret: string;
  as: 'bearer' | 'basic' | 'header' | 'query' | 'cookie';
  /** Of the header, the parameter or the cookie; empty for the first two. */
  name: string;
}

/** How a list continues, and what a caller passes to continue it. */
export interface PagesBinding {
  kind: 'link' | 'cursor' | 'page' | 'offset';
  /** The input that selects the page. */
  input: string;
  /** JSON Pointer in the body to the cursor of the next page. */
  next?: string;
  /** JSON Pointer in the body to the items; '' for a body that is the list. */
  items?: string;
  /** JSON Pointer in the body to the boolean that says whether more follow. */
  more?: string;
  /** Pointer in an item to its id, where the next page begins after the last item. */
  after?: string;
  /** Most pages that one call follows; 1: it follows none. */
  follow_max: number;
}

/** One operation of a document, as it is requested. Without references to its document: nothing is resolved when it runs. */
export interface OperationBinding {
  /** `GET /pets/{id}`. */
  operation: string;
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The address of the server with the path; path parameters in braces. */
  url: string;
  parameters: ParameterBinding[];
  body?: BodyBinding;
  accept: string;
  credentials: CredentialBinding[];
  /** The header that gets the key of the attempt. */
  idempotency_header?: string;
  pages?: PagesBinding;
}

/** A value for an input of another operation: a JSON Pointer below `/inputs` or `/output`, or `/attempt_key`; else a literal. */
export type InputSource = { from: string } | { literal?: unknown };

/** Asks a read whether a write has happened. */
export interface ReconcileBinding {
  read: OperationBinding;
  inputs: Record<string, InputSource>;
  /** JSON Pointer in the output of the read to a list whose items are the candidates; absent: the output itself. */
  items?: string;
  /** CEL over `inputs`, `attempt_key` and `output`, which is the candidate: it is the effect. */
  matches: string;
  /** No match means that the write did not happen, not that it cannot be told. */
  is_complete: boolean;
}

/** Undoes a write by another operation. */
export interface CompensateBinding {
  by: OperationBinding;
  inputs: Record<string, InputSource>;
}

/** A tool of a document, as it runs. */
export interface ToolBinding extends OperationBinding {
  reconcile?: ReconcileBinding;
  compensate?: CompensateBinding;
}

/** What a tool of a document returns. */
export interface OperationOutput {
  status: number;
  /** JSON, or text; absent where the response has no body. */
  body?: unknown;
  /** Where a body that is neither is kept. */
  attachment?: string;
  /** What to pass to get the next page. */
  next_page?: { input: string; value: string | number };
}
