/** The text of /openapi.json. It is made on the first request, because it takes half a second of CPU, and kept. */
export class ApiDocument {
  private make: () => object = () => ({});
  private made: string | undefined;

  /** `make`: makes the document of the routes, which are known once the application is. */
  describe(make: () => object): void {
    this.make = make;
    this.made = undefined;
  }

  get text(): string {
    this.made ??= JSON.stringify(this.make());
    return this.made;
  }
}
