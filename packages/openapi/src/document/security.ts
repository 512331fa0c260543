import type { Json, Security, SecurityScheme } from './model.ts'
import { isJson, textOf } from './values.ts'

/** @returns undefined if there is no requirement, so that the document's own applies */
export function readSecurity(value: unknown): Security | undefined {
  if (!Array.isArray(value)) return undefined
  // An empty list means that the operation needs no credentials.
  if (value.length === 0) return [[]]
  return value.filter(isJson).map((requirement) => Object.keys(requirement))
}

/** @returns undefined for a scheme whose credentials cannot be sent */
export function readSecurityScheme(scheme: Json | undefined): SecurityScheme | undefined {
  switch (scheme?.['type']) {
    case 'apiKey':
      return apiKey(scheme)
    case 'basic':
      return { kind: 'basic' }
    case 'oauth2':
    case 'openIdConnect':
      return { kind: 'bearer' }
    case 'mutualTLS':
      return { kind: 'mutualTLS' }
    case 'http':
      return http(textOf(scheme['scheme'])?.toLowerCase())
    default:
      return undefined
  }
}

function apiKey(scheme: Json): SecurityScheme | undefined {
  const { name, in: place } = scheme
  if (typeof name !== 'string' || name === '') return undefined
  return place === 'query' || place === 'header' || place === 'cookie'
    ? { kind: 'apiKey', in: place, name }
    : undefined
}

function http(scheme: string | undefined): SecurityScheme | undefined {
  if (scheme === 'basic' || scheme === 'bearer') return { kind: scheme }
  // See https://www.rfc-editor.org/rfc/rfc9110#section-11.1 for the characters of a scheme.
  return scheme !== undefined && /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(scheme)
    ? { kind: 'http', scheme }
    : undefined
}
