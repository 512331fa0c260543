import type { InferJsonObject } from './convert/infer-json.ts'

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
 * A schema of any library that validates and can say itself in JSON Schema: zod 4.2 or later, ArkType,
 * Valibot through `toStandardJsonSchema`, and others.
 *
 * @see https://standardschema.dev/json-schema
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': StandardProps<Input, Output>
}

/**
 * The members that tell a {@link StandardSchema} from other objects. Comparing schemas with the whole
 * interface would make the compiler instantiate the types of validators and results for each of them.
 */
interface LooksStandard {
  readonly '~standard': Pick<StandardProps<unknown, unknown>, 'version' | 'vendor' | 'jsonSchema'>
}

/** A schema of a library, see {@link StandardSchema}, or JSON Schema. */
export type AnySchema = LooksStandard | JsonSchema

/** A flat object of strings, which is all that prompt arguments can be. */
export type StringFieldsSchema = StandardSchema<{ readonly [name: string]: string | undefined }, unknown>

type TypesOf<S> = S extends { readonly '~standard': { readonly types?: infer T } } ? NonNullable<T> : never

/**
 * The type that a peer may send, before defaults and transforms. For JSON Schema as a literal, the type it
 * describes, else `Record<string, unknown>`.
 */
export type InferInput<S> = S extends LooksStandard
  ? TypesOf<S> extends { readonly input: infer I }
    ? I
    : unknown
  : InferJsonObject<S>

/**
 * The output type of a schema, which a handler returns under it. `unknown` for JSON Schema. A zod schema says
 * it in a shorter way as well, which spares the compiler types.
 */
export type InferOutput<S> = S extends { readonly _zod: { readonly output: infer O } }
  ? O
  : TypesOf<S> extends { readonly output: infer O }
    ? O
    : unknown

/**
 * The arguments that a handler receives: the output side, or the type that JSON
 * Schema as a literal describes.
 */
export type InferArguments<S> = S extends LooksStandard ? InferOutput<S> : InferJsonObject<S>

/** The owner of a schema, for errors thrown at registration. */
export interface SchemaSite {
  readonly kind: string
  readonly name: string
  readonly field: 'inputSchema' | 'outputSchema' | 'argsSchema' | 'schema'
}

/** One thing that is wrong. Neither part repeats the value received. */
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

/** A schema of arguments, ready to validate them. */
export interface CompiledInput {
  /**
   * As published; `type: "object"` at its root. Not to be modified. Converted when
   * first read where `isDeferred`.
   */
  readonly jsonSchema: JsonSchema
  /** Whether it is certain to convert later, and to have no keywords but those of its library's types. */
  readonly isDeferred?: true
  /**
   * Applies the schema library's own validation, with its defaults and transforms; a promise only if it is
   * asynchronous. Rejects or throws only where code of the schema's author does.
   */
  check(value: unknown): CheckedInput | Promise<CheckedInput>
}

/** A schema of structured results, ready to validate them. */
export interface CompiledOutput {
  /** As published; any root. Not to be modified. */
  readonly jsonSchema: JsonSchema
  /**
   * Checks what JSON makes of a value against the published schema.
   *
   * @param json - `JSON.stringify(value)`, made by the caller, who needs it anyhow
   * @returns the JSON to send: `json` itself, or a shorter one where a zod object left unknown properties out
   */
  readonly check: (value: unknown, json: string | undefined) => CheckedOutput
}

interface InputOptions {
  /**
   * Whether arguments that the schema does not name are refused, by the published schema too, where they
   * would fall or pass unseen: at every object of a library's schema that says nothing of them; in JSON
   * Schema at the root alone, unless it speaks of them itself.
   *
   * @default false
   */
  readonly strict?: boolean | undefined
}

/** Compiles the schemas of a server, once each, when something is registered. */
export interface SchemaEngine {
  /** @throws UsageError `ERR_MCP_SCHEMA_UNSUPPORTED` or `ERR_MCP_SCHEMA_INVALID` */
  input(schema: AnySchema, site: SchemaSite, options?: InputOptions): CompiledInput
  /** @throws UsageError `ERR_MCP_SCHEMA_UNSUPPORTED` or `ERR_MCP_SCHEMA_INVALID` */
  output(schema: AnySchema, site: SchemaSite): CompiledOutput
}

export interface JsonValidator {
  isValid(value: unknown): boolean
  /** Why a value is not valid; validates it anew. */
  explain(value: unknown): readonly Issue[]
}

/**
 * Prepares a JSON Schema to validate values.
 *
 * @param origin an author's schema is checked against its dialect's metaschema first; a library's is
 *   not, which saves time at start
 * @throws Error with a readable message
 */
export type CompileJsonSchema = (schema: JsonSchema, origin: 'author' | 'library') => JsonValidator
