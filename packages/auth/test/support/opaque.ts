import { introspection } from '../../src/index.ts'
import { ISSUER, protect, type Protected } from './protect.ts'

export const INTROSPECT = `${ISSUER}/introspect`

export interface OpaqueMount extends Protected {
  /** The introspection requests that the issuer has received. */
  readonly asked: readonly RequestInit[]
}

/** Creates a mount whose tokens are opaque. */
export async function protectOpaque(
  answer: object | ((init: RequestInit) => Response | Promise<Response>),
  options: Partial<Parameters<typeof introspection>[0]> = {},
): Promise<OpaqueMount> {
  const site = await protect({
    token: introspection({ clientId: 'me:1', clientSecret: 'a secret', ...options }),
  })
  const asked: RequestInit[] = []
  site.issuer.documents.set(`${ISSUER}/.well-known/oauth-authorization-server`, () =>
    Response.json({ issuer: ISSUER, introspection_endpoint: INTROSPECT }),
  )
  site.issuer.documents.set(INTROSPECT, (init) => {
    asked.push(init)
    return typeof answer === 'function' ? answer(init) : Response.json(answer)
  })
  return { ...site, asked }
}
