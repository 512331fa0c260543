import type { InferJsonObject } from '@jetway/json-schema'

/**
 * A JSON Schema that is an object; boolean schemas occur only inside one. The dialect is 2020-12 unless
 * `$schema` names 2019-09 or draft-07.
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
 * A schema from any library that can validate values and convert its schemas to JSON Schema: zod 4.2 or later,
 * ArkType, Valibot through `toStandardJsonSchema`, and others.
 *
 * @see https://standardschema.dev/json-schema
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardProps<Input, Output>
}

/**
 * The members that distinguish a {@link StandardSchema} from other objects. The full interface is not used,
 * because the compiler would then instantiate the types of validators and results for each schema.
 */
interface LooksStandard {
  readonly '~standard': Pick<StandardProps<unknown, unknown>, 'version' | 'vendor' | 'jsonSchema'>
}

/** A library's schema (see {@link StandardSchema}), or a JSON Schema. */
export type AnySchema = LooksStandard | JsonSchema

/** A type for intersections that rejects an object of schemas, which would otherwise be treated as a JSON Schema. */
export type RefuseShape<S> = [S extends Standard ? never : Extract<S[keyof S], Standard>] extends [never]
  ? unknown
  : 'This is an object of schemas, not a schema: wrap it in z.object({ … })'
type Standard = { readonly '~standard': unknown }

/** A flat object of strings, which is the only form that prompt arguments can have. */
export type StringFieldsSchema = StandardSchema<{ readonly [name: string]: string | undefined }, unknown>

type TypesOf<S> = S extends { readonly '~standard': { readonly types?: infer T } } ? NonNullable<T> : never

/**
 * The type that a peer may send, before defaults and transforms are applied. For a literal JSON Schema, this is
 * the type that the schema describes; for any other JSON Schema, it is `Record<string, unknown>`.
 */
export type InferInput<S> = S extends LooksStandard
  ? TypesOf<S> extends { readonly input: infer I }
    ? I
    : unknown
  : InferJsonObject<S>

/**
 * A schema's output type, which is the type that a handler returns. For a JSON Schema, it is `unknown`. zod
 * schemas also provide this type in a shorter form, which saves the compiler some instantiations.
 */
export type InferOutput<S> = S extends { readonly _zod: { readonly output: infer O } }
  ? O
  : TypesOf<S> extends { readonly output: infer O }
    ? O
    : unknown

/**
 * The arguments that a handler receives: the schema's output type, or the type that a literal JSON Schema
 * describes.
 */
export type InferArguments<S> = S extends LooksStandard ? InferOutput<S> : InferJsonObject<S>

/** The owner of a schema, which is named in errors thrown at registration. */
export interface SchemaSite {
  readonly kind: string
  readonly name: string
  readonly field: 'inputSchema' | 'outputSchema' | 'argsSchema' | 'schema'
}

/** A problem with a value. Neither member contains the received value. */
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
   * The published schema, with `type: "object"` at its root. Must not be modified. If `isDeferred` is set, the
   * schema is converted when it is first read.
   */
  readonly jsonSchema: JsonSchema
  /**
   * Whether it is certain that the schema can be converted later, and that the result will contain only
   * keywords for its library's types.
   */
  readonly isDeferred?: true
  /**
   * Runs the schema library's own validation, including defaults and transforms. Returns a promise only if
   * the validation is asynchronous. Throws or rejects only if the author's code does.
   */
  check(value: unknown): CheckedInput | Promise<CheckedInput>
}

/** A compiled schema for structured results. */
export interface CompiledOutput {
  /** The published schema. Its root need not be an object. Must not be modified. */
  readonly jsonSchema: JsonSchema
  /**
   * Checks the JSON form of a value against the published schema.
   *
   * @param json - `JSON.stringify(value)`, which the caller needs anyway
   * @returns the JSON to send: `json` itself, or a shorter text if a zod object dropped unknown properties
   */
  readonly check: (value: unknown, json: string | undefined) => CheckedOutput
}

interface InputOptions {
  /**
   * Whether arguments that are not in the schema are rejected, instead of being dropped or ignored. The
   * published schema also rejects them. In a library's schema, this applies to every object; in a JSON
   * Schema, it applies only to the root. Objects that specify their additional properties are not affected.
   *
   * @default false
   */
  readonly strict?: boolean | undefined
}

/** Compiles the schemas of a server at registration, each of them once. */
export interface SchemaEngine {
  /** @throws UsageError `ERR_MCP_SCHEMA_UNSUPPORTED` or `ERR_MCP_SCHEMA_INVALID` */
  input(schema: AnySchema, site: SchemaSite, options?: InputOptions): CompiledInput
  /** @throws UsageError `ERR_MCP_SCHEMA_UNSUPPORTED` or `ERR_MCP_SCHEMA_INVALID` */
  output(schema: AnySchema, site: SchemaSite): CompiledOutput
}

export interface JsonValidator {
  isValid(value: unknown): boolean
  /** Validates an invalid value again to find out why it is invalid. */
  explain(value: unknown): readonly Issue[]
}

/**
 * Compiles a JSON Schema.
 *
 * @param origin - an author's schema is first checked against its dialect's metaschema. A library's schema is
 * not checked, which reduces the startup time
 * @throws Error with a message for authors
 */
export type CompileJsonSchema = (schema: JsonSchema, origin: 'author' | 'library') => JsonValidator
