/**
 * The TypeScript type that a JSON Schema literal admits: const, enum, anyOf, oneOf, type, properties with required, items. Unsupported
 * keywords (references, conditions) give unknown, never any.
 */
export type TypeOfSchema<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly anyOf: readonly (infer A)[] }
      ? TypeOfSchema<A>
      : S extends { readonly oneOf: readonly (infer B)[] }
        ? TypeOfSchema<B>
        : S extends { readonly type: readonly (infer T)[] }
          ? TypeOfSchema<Omit<S, 'type'> & { readonly type: T }>
          : S extends { readonly type: infer T }
            ? TypeOfNamed<T, S>
            : unknown;

type TypeOfNamed<T, S> = T extends 'string'
  ? string
  : T extends 'number' | 'integer'
    ? number
    : T extends 'boolean'
      ? boolean
      : T extends 'null'
        ? null
        : T extends 'array'
          ? S extends { readonly items: infer I }
            ? TypeOfSchema<I>[]
            : unknown[]
          : T extends 'object'
            ? TypeOfObject<S>
            : unknown;

type TypeOfObject<S> = S extends { readonly properties: infer P }
  ? Flat<
      { -readonly [K in keyof P & RequiredOf<S>]: TypeOfSchema<P[K]> } & {
        -readonly [K in Exclude<keyof P, RequiredOf<S>>]?: TypeOfSchema<P[K]>;
      }
    >
  : S extends { readonly additionalProperties: infer A extends object }
    ? Record<string, TypeOfSchema<A>>
    : Record<string, unknown>;

type RequiredOf<S> = S extends { readonly required: readonly (infer R)[] } ? R : never;
type Flat<T> = { [K in keyof T]: T[K] };
