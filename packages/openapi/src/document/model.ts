/** Any JSON object of a document. Its members are checked where they are read. */
export type Json = { readonly [key: string]: unknown }

/** The methods of a path item. TRACE is left out: `fetch` refuses it. */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const

/** The HTTP method of an operation, in lower case. */
export type Method = (typeof METHODS)[number]

export type Place = 'path' | 'query' | 'header' | 'cookie'

/** How a value becomes text. See https://spec.openapis.org/oas/v3.1.1.html#style-values. */
export type Style =
  | 'simple'
  | 'label'
  | 'matrix'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'tabDelimited'
  | 'deepObject'

export interface Serialization {
  readonly style: Style
  readonly explode: boolean
  readonly allowReserved: boolean
  /** Whether the value is sent as JSON text, for parameters with `content`. */
  readonly json: boolean
}

export interface Parameter extends Serialization {
  readonly name: string
  readonly in: Place
  readonly required: boolean
  readonly deprecated: boolean
  readonly description: string | undefined
  /** As in the document, with references to it. */
  readonly schema: unknown
}

/** One way to write a body. */
export interface MediaType {
  readonly type: string
  readonly schema: unknown
  /** By property, for forms. */
  readonly encoding: ReadonlyMap<string, Encoding>
}

export interface Encoding extends Partial<Pick<Serialization, 'style' | 'explode' | 'allowReserved'>> {
  readonly contentType: string | undefined
}

export interface Body {
  readonly required: boolean
  readonly description: string | undefined
  readonly content: readonly MediaType[]
}

export interface SuccessResponse {
  readonly status: string
  readonly content: readonly MediaType[]
}

/** A scheme that a request must satisfy, by how its value is sent. */
export type SecurityScheme =
  | { readonly kind: 'apiKey'; readonly in: 'query' | 'header' | 'cookie'; readonly name: string }
  | { readonly kind: 'basic' }
  | { readonly kind: 'bearer' }
  /** Another scheme of the header `Authorization`, such as `Digest`. */
  | { readonly kind: 'http'; readonly scheme: string }
  /** The connection itself authenticates. */
  | { readonly kind: 'mutualTLS' }

/** Alternatives. Each lists the names of schemes that are needed together; an empty list needs none. */
export type Security = readonly (readonly string[])[]

/** An operation, as it is shown to the function that chooses. */
export interface OperationView {
  /** Method and path, such as `GET /pets/{id}`. Unique in its document. */
  readonly key: string
  readonly method: Method
  readonly path: string
  /** The `operationId`. */
  readonly id: string | undefined
  readonly summary: string | undefined
  readonly description: string | undefined
  readonly tags: readonly string[]
  readonly deprecated: boolean
}

/** An operation with everything that its tool needs. */
export interface Operation extends OperationView {
  /** The operation's `x-mcp`. */
  readonly hints: { readonly name: string | undefined; readonly hidden: boolean }
  readonly parameters: readonly Parameter[]
  readonly body: Body | undefined
  /** The first successful response that has content. */
  readonly success: SuccessResponse | undefined
  readonly security: Security
  /** Servers that only this operation has. */
  readonly servers: readonly string[]
}

/** A problem of a document, and what it affects. */
export interface Fault {
  /** Such as `GET /pets/{id}`, or `document`. */
  readonly where: string
  readonly problem: string
  /** Whether the operation is left out. */
  readonly leftOut: boolean
}

export interface Document {
  readonly root: Json
  readonly title: string
  readonly description: string | undefined
  /** Whether schemas have the keywords of 2.0 and 3.0 instead of those of JSON Schema 2020-12. */
  readonly oldSchemas: boolean
  readonly servers: readonly string[]
  readonly schemes: ReadonlyMap<string, SecurityScheme>
  readonly operations: readonly Operation[]
  readonly faults: readonly Fault[]
}

/** What differs between versions of OpenAPI. */
export interface Dialect {
  readonly oldSchemas: boolean
  servers(): readonly string[]
  /** The security schemes by name, as in the document. */
  schemes(): unknown
  parameters(raw: readonly Json[]): readonly Parameter[]
  body(operation: Json, parameters: readonly Json[]): Operation['body']
  success(operation: Json): Operation['success']
}
