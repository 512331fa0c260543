import type { InferJsonObject } from '@jetway/json-schema'

/**
 * A JSON Schema that is an object; boolean schemas occur only inside one.
 * Dialects: 2020-12 unless `$schema` names 2019-09 or draft-07.
 */
export type JsonSchema = { readonly [key: string]: unknown }

/** Options for the conversion of a Standard Schema. */
interface StandardJsonSchemaOptions {
  readonly target: 'draft-2020-12' | 'draft-07' | 'openapi-3.0' | (string & {})
  readonly libraryOptions?: Record<string, unknown> | undefined
}

export interface StandardIssue {
  readonly message: string
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

interface StandardProps<Input, Output> {
  readonly version: 1
  readonly vendor: string
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
  readonly jsonSchema: {
    readonly input: (options: StandardJsonSchemaOptions) => Record<string, unknown>
    readonly output: (options: StandardJsonSchemaOptions) => Record<string, unknown>
  }
  readonly types?: { readonly input: Input; readonly output: Output } | undefined
}

/**
 * A schema of any library that can validate and convert itself to JSON Schema: zod 4.2 or later, ArkType,
 * Valibot through `toStandardJsonSchema`, and others.
 *
 * @see https://standardschema.dev/json-schema
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardProps<Input, Output>
}

/**
 * The members that distinguish a {@link StandardSchema} from other objects. If schemas were compared with the whole
 * interface, the compiler would instantiate the types of validators and results for each schema.
 */
interface LooksStandard {
  readonly '~standard': Pick<StandardProps<unknown, unknown>, 'version' | 'vendor' | 'jsonSchema'>
}

/** A library's schema (see {@link StandardSchema}), or a JSON Schema. */
export type AnySchema = LooksStandard | JsonSchema

/** A type to intersect with, which refuses an object of schemas. It would count as a JSON Schema. */
export type RefuseShape<S> = [S extends Standard ? never : Extract<S[keyof S], Standard>] extends [never]
  ? unknown
  : 'This is an object of schemas, not a schema: wrap it in z.object({ … })'
type Standard = { readonly '~standard': unknown }

/** A flat object of strings, the only form that prompt arguments can have. */
export type StringFieldsSchema = StandardSchema<{ readonly [name: string]: string | undefined }, unknown>

type TypesOf<S> = S extends { readonly '~standard': { readonly types?: infer T } } ? NonNullable<T> : never

/**
 * The type that a peer may send, before defaults and transforms: for a literal JSON Schema, the type that the schema
 * describes; for any other JSON Schema, `Record<string, unknown>`.
 */
export type InferInput<S> = S extends LooksStandard
  ? TypesOf<S> extends { readonly input: infer I }
    ? I
    : unknown
  : InferJsonObject<S>

/**
 * The output type of a schema, which a handler returns. `unknown` for JSON Schema. zod schemas also provide
 * this type in a shorter form, which saves the compiler some instantiations.
 */
export type InferOutput<S> = S extends { readonly _zod: { readonly output: infer O } }
  ? O
  : TypesOf<S> extends { readonly output: infer O }
    ? O
    : unknown

/** The arguments that a handler receives: the output type, or the type that a literal JSON Schema describes. */
export type InferArguments<S> = S extends LooksStandard ? InferOutput<S> : InferJsonObject<S>

/** The owner of a schema, for errors thrown at registration. */
export interface SchemaSite {
  readonly kind: string
  readonly name: string
  readonly field: 'inputSchema' | 'outputSchema' | 'argsSchema' | 'schema'
}

/** One problem with a value. Neither member repeats the received value. */
export interface Issue {
  readonly path: readonly (string | number)[]
  readonly message: string
}

export interface Failed {
  readonly ok: false
  readonly issues: readonly Issue[]
}

export type CheckedInput = { readonly ok: true; readonly value: unknown } | Failed
export type CheckedOutput = { readonly ok: true; readonly json: string } | Failed

/** A compiled schema for arguments. */
export interface CompiledInput {
  /**
   * The published schema, with `type: "object"` at its root. Must not be modified. Converted when first read if
   * `isDeferred`.
   */
  readonly jsonSchema: JsonSchema
  /**
   * Whether the schema is certain to convert later, to a JSON Schema that contains only keywords for its
   * library's types.
   */
  readonly isDeferred?: true
  /**
   * Applies the schema library's own validation, with its defaults and transforms. Returns a promise only if
   * that validation is asynchronous. Rejects or throws only if the author's code does.
   */
  check(value: unknown): CheckedInput | Promise<CheckedInput>
}

/** A compiled schema for structured results. */
export interface CompiledOutput {
  /** The published schema, with any root. Must not be modified. */
  readonly jsonSchema: JsonSchema
  /**
   * Checks the JSON form of a value against the published schema.
   *
   * @param json - `JSON.stringify(value)`, which the caller needs anyway
   * @returns the JSON to send: `json` itself, or a shorter one if a zod object dropped unknown properties
   */
  readonly check: (value: unknown, json: string | undefined) => CheckedOutput
}

interface InputOptions {
  /**
   * Whether arguments that the schema does not name are refused, instead of being dropped or ignored. The published
   * schema also refuses them. Applies to every object in a library's schema, but in a JSON Schema only to the root,
   * unless the object or root specifies its additional properties.
   *
   * @default false
   */
  readonly strict?: boolean | undefined
}

/** Compiles the schemas of a server, each once, at registration. */
export interface SchemaEngine {
  /** @throws UsageError `ERR_MCP_SCHEMA_UNSUPPORTED` or `ERR_MCP_SCHEMA_INVALID` */
  input(schema: AnySchema, site: SchemaSite, options?: InputOptions): CompiledInput
  /** @throws UsageError `ERR_MCP_SCHEMA_UNSUPPORTED` or `ERR_MCP_SCHEMA_INVALID` */
  output(schema: AnySchema, site: SchemaSite): CompiledOutput
}

export interface JsonValidator {
  isValid(value: unknown): boolean
  /** Validates a value again and returns why it is invalid. */
  explain(value: unknown): readonly Issue[]
}

/**
 * Compiles a JSON Schema.
 *
 * @param origin - an author's schema is first checked against the metaschema of its dialect; a library's
 *   schema is not, which saves time on start
 * @throws Error with a readable message
 */
export type CompileJsonSchema = (schema: JsonSchema, origin: 'author' | 'library') => JsonValidator
