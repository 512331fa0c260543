import type { MediaType, Method, Parameter } from '../document/model.ts'

/** How a body is written. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'bytes'

/** Where a body comes from: one argument, or one argument for each of its properties. */
export interface BodyPlan {
  readonly kind: BodyKind
  readonly media: MediaType
  /** Whether a body is sent even if no argument has a part of it. */
  readonly required: boolean
  readonly argument: string | undefined
  /** The names of properties, by argument. */
  readonly properties: ReadonlyMap<string, string>
  /** The properties of a multipart body that are files. */
  readonly files: ReadonlySet<string>
}

/** How arguments become a request. */
export interface RequestPlan {
  /** Such as `GET /pets/{id}`, for errors. */
  readonly key: string
  readonly method: Method
  readonly path: string
  /** By argument. */
  readonly parameters: ReadonlyMap<string, Parameter>
  readonly body: BodyPlan | undefined
  /** The value of the header `Accept`. */
  readonly accept: string
  /** The names of the security schemes that the request needs. */
  readonly security: readonly string[]
}

/** A request with all of its parts, before credentials are added. */
export interface PlannedRequest {
  readonly path: string
  readonly query: readonly string[]
  readonly headers: readonly (readonly [string, string])[]
  readonly cookies: readonly string[]
  readonly body: { readonly data: BodyInit; readonly type: string | undefined } | undefined
}

const JSON_TYPE = /^(?:application|text)\/(?:[\w.-]+\+)?json(?:;|$)/

export const isJsonType = (type: string): boolean => JSON_TYPE.test(type)

export function kindOf(type: string): BodyKind {
  if (isJsonType(type) || type === '*/*' || type === 'application/*') return 'json'
  if (type.startsWith('application/x-www-form-urlencoded')) return 'form'
  if (type.startsWith('multipart/')) return 'multipart'
  return isTextType(type) ? 'text' : 'bytes'
}

export const isTextType = (type: string): boolean =>
  type.startsWith('text/') || /[/+](?:xml|yaml|x-yaml|javascript|x-ndjson|graphql)(?:;|$)/.test(type)
