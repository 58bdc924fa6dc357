/** The text of /openapi.json: made of the routes once they are known. */
export class ApiDocument {
  text = '{}';
}
