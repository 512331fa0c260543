/**
 * The type that a JSON Schema describes with the literal keywords `type`, `const`, `enum`, `properties`,
 * `required` and `items`. All other keywords result in `unknown`.
 */
type Described<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly type: infer T }
      ? T extends readonly (infer Each)[]
        ? OfType<Each, S>
        : OfType<T, S>
      : unknown

interface Primitives {
  readonly string: string
  readonly number: number
  readonly integer: number
  readonly boolean: boolean
  readonly null: null
}

type OfType<T, S> = T extends keyof Primitives
  ? Primitives[T]
  : T extends 'array'
    ? ItemsOf<S>[]
    : T extends 'object'
      ? InferJsonObject<S>
      : unknown

type ItemsOf<S> = S extends { readonly items: infer I } ? Described<I> : unknown

/** The type that an object schema describes, such as the type of a tool's arguments. */
export type InferJsonObject<S> = S extends { readonly type: unknown; readonly properties: infer P }
  ? 'object' extends S['type']
    ? string extends S['type']
      ? Record<string, unknown>
      : // Makes editors show the properties rather than the name of a helper type.
        Required<S, P> & Optional<S, P> extends infer All
        ? { [K in keyof All]: All[K] } & Further<S>
        : never
    : Record<string, unknown>
  : Record<string, unknown>

type RequiredNames<S> = S extends { readonly required: readonly (infer R)[] }
  ? string extends R
    ? never
    : R
  : never

type Required<S, P> = { -readonly [K in Extract<keyof P, RequiredNames<S>>]: Described<P[K]> }
type Optional<S, P> = { -readonly [K in Exclude<keyof P, RequiredNames<S>>]?: Described<P[K]> }

/** Adds access to properties whose names the schema leaves open. */
type Further<S> = S extends
  | { readonly additionalProperties: true | object }
  | { readonly patternProperties: object }
  ? Record<string, unknown>
  : unknown
