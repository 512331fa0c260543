import { type RequestContext, ToolError } from '@jetway/core'
import type { Security, SecurityScheme } from '../document/model.ts'
import { encode } from './styles.ts'

/**
 * The value of a security scheme: an API key, a token, or `user:password`. A function is called for each request; a
 * caller for whom it returns undefined cannot call the operation.
 */
export type Credential<App = unknown, Locals = unknown> =
  | string
  | ((ctx: RequestContext<App, Locals>) => string | undefined | Promise<string | undefined>)

/** Credentials in their places. */
export interface Secrets {
  readonly headers: readonly (readonly [string, string])[]
  readonly query: readonly (readonly [string, string])[]
  readonly cookies: readonly (readonly [string, string])[]
}

type Schemes = ReadonlyMap<string, SecurityScheme>

/**
 * Chooses the first alternative for which there are credentials. One without credentials is chosen only if there is
 * no other, so that a caller who has some is not anonymous.
 *
 * @returns undefined if none can be satisfied
 */
export function chooseSecurity(
  security: Security,
  schemes: Schemes,
  auth: ReadonlyMap<string, unknown>,
): readonly string[] | undefined {
  const isSatisfied = (names: readonly string[]): boolean =>
    names.every((name) => schemes.has(name) && auth.has(name))
  return (
    security.find((names) => names.length > 0 && isSatisfied(names)) ??
    security.find((names) => names.length === 0)
  )
}

/** @throws ToolError if there is no value for this caller */
export async function readSecrets<App, Locals>(
  names: readonly string[],
  {
    schemes,
    auth,
  }: { readonly schemes: Schemes; readonly auth: ReadonlyMap<string, Credential<App, Locals>> },
  ctx: RequestContext<App, Locals>,
): Promise<Secrets> {
  const secrets = {
    headers: [] as [string, string][],
    query: [] as [string, string][],
    cookies: [] as [string, string][],
  }
  for (const name of names) {
    const scheme = schemes.get(name)
    const credential = auth.get(name)
    const value = typeof credential === 'function' ? await credential(ctx) : credential
    if (scheme === undefined || value === undefined || value === '')
      throw new ToolError(`You have no credentials for this API (${name})`)
    place(scheme, value, secrets)
  }
  return secrets
}

function place(
  scheme: SecurityScheme,
  value: string,
  {
    headers,
    query,
    cookies,
  }: { headers: [string, string][]; query: [string, string][]; cookies: [string, string][] },
): void {
  switch (scheme.kind) {
    case 'basic':
      headers.push(['authorization', `Basic ${toBase64(value)}`])
      break
    case 'bearer':
      headers.push(['authorization', `Bearer ${value}`])
      break
    case 'http':
      headers.push(['authorization', `${scheme.scheme} ${value}`])
      break
    case 'apiKey':
      if (scheme.in === 'header') headers.push([scheme.name, value])
      else if (scheme.in === 'query') query.push([scheme.name, encode(value)])
      else cookies.push([scheme.name, encode(value)])
      break
    case 'mutualTLS':
  }
}

const toBase64 = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''))

/** The headers and parameters that are never arguments, in lower case. */
export function reservedNames(
  schemes: Schemes,
): Readonly<Record<'query' | 'header' | 'cookie', ReadonlySet<string>>> {
  const of = (at: string): ReadonlySet<string> =>
    new Set(
      Array.from(schemes.values()).flatMap((scheme) =>
        scheme.kind === 'apiKey' && scheme.in === at ? [scheme.name.toLowerCase()] : [],
      ),
    )
  return { query: of('query'), header: new Set([...of('header'), ...FORBIDDEN]), cookie: of('cookie') }
}

/** Headers with credentials, of the connection, or of the body, and one that changes the method. */
const FORBIDDEN = [
  'accept',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-http-method-override',
]
