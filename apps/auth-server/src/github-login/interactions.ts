import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type Provider from 'oidc-provider'
import { CONSENT_HEADERS, consentPage } from './consent-page.ts'
import { type GitHubApp, type GitHubUser, loginUrl, userOf } from './github.ts'

/** The path to which `oidc-provider` sends the browser. The app's callback URL at GitHub is this path of the issuer. */
export const INTERACTION = '/interaction'

export interface LoginOptions {
  readonly issuer: string
  readonly github: GitHubApp
  /** Protects the login from other sites. */
  readonly secret: string
  /** @default every user of GitHub */
  readonly mayLogIn?: (user: GitHubUser) => boolean
}

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>
type Result = Parameters<Provider['interactionFinished']>[2]

/** Logs users in with GitHub, and asks for their consent. */
export class Interactions {
  readonly #provider: Provider
  readonly #options: LoginOptions

  constructor(provider: Provider, options: LoginOptions) {
    this.#provider = provider
    this.#options = options
  }

  /** Replies to a request below {@link INTERACTION}. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      // This throws without the cookie of the interaction, because the same browser must begin and finish it.
      const interaction = await this.#provider.interactionDetails(request, response)
      const { pathname, searchParams } = new URL(request.url ?? '', this.#options.issuer)
      const path = `${INTERACTION}/${interaction.uid}`
      const route = `${request.method} ${pathname.slice(path.length)}`
      if (!pathname.startsWith(path)) throw new Error('Another interaction')
      if (route === 'GET ') return await this.#begin(interaction, response)
      const result =
        route === 'GET /github'
          ? await this.#login(interaction, searchParams)
          : route === 'POST /consent' && interaction.prompt.name === 'consent'
            ? await this.#consent(interaction, await text(request))
            : undefined
      if (result === undefined) return void response.writeHead(404).end()
      await this.#provider.interactionFinished(request, response, result)
    } catch (error) {
      console.error(String(error))
      response
        .writeHead(400, { 'content-type': 'text/plain' })
        .end('The login has failed. Please try again.\n')
    }
  }

  async #begin({ uid, prompt, params }: Interaction, response: ServerResponse): Promise<void> {
    if (prompt.name === 'login') {
      const challenge = createHash('sha256').update(this.#secretFor('verifier', uid)).digest('base64url')
      const location = loginUrl(this.#options.github, { ...this.#callback(uid), challenge })
      response.writeHead(303, { location }).end()
      return
    }
    const client = await this.#provider.Client.find(String(params['client_id']))
    const { resources } = missingScopes(prompt.details)
    response.writeHead(200, CONSENT_HEADERS).end(
      consentPage({
        action: `${INTERACTION}/${uid}/consent`,
        clientName: client?.clientName ?? String(params['client_id']),
        redirectHost: new URL(String(params['redirect_uri'])).host,
        resource: String(params['resource']),
        scopes: Object.values(resources).flat(),
      }),
    )
  }

  async #login({ uid, prompt }: Interaction, query: URLSearchParams): Promise<Result> {
    const { redirectUri, state } = this.#callback(uid)
    if (prompt.name !== 'login' || !isEqual(query.get('state') ?? '', state)) throw new Error('Another login')
    const code = query.get('code')
    if (code === null) return DENIED
    const verifier = this.#secretFor('verifier', uid)
    const user = await userOf(this.#options.github, { code, redirectUri, verifier })
    return this.#options.mayLogIn?.(user) === false ? DENIED : { login: { accountId: `github:${user.id}` } }
  }

  async #consent({ params, session, grantId, prompt }: Interaction, form: string): Promise<Result> {
    if (new URLSearchParams(form).get('answer') !== 'allow') return DENIED
    const { Grant } = this.#provider
    const known = grantId === undefined ? undefined : await Grant.find(grantId)
    const grant =
      known ??
      new Grant({ clientId: String(params['client_id']), ...(session && { accountId: session.accountId }) })
    const { openid, resources } = missingScopes(prompt.details)
    grant.addOIDCScope(openid.join(' '))
    for (const [resource, scopes] of Object.entries(resources))
      grant.addResourceScope(resource, scopes.join(' '))
    return { consent: { grantId: await grant.save() } }
  }

  #callback(uid: string): { readonly redirectUri: string; readonly state: string } {
    const redirectUri = `${this.#options.issuer}${INTERACTION}/${uid}/github`
    return { redirectUri, state: this.#secretFor('state', uid) }
  }

  /** Derives a secret that is equal for all requests of an interaction, so that nothing is stored. */
  #secretFor(purpose: 'state' | 'verifier', uid: string): string {
    return createHmac('sha256', this.#options.secret).update(`${purpose} ${uid}`).digest('base64url')
  }
}

const DENIED: Result = { error: 'access_denied', error_description: 'The user has not agreed' }

/** Returns the scopes without the user's consent. */
function missingScopes(details: unknown): {
  readonly openid: readonly string[]
  readonly resources: Readonly<Record<string, readonly string[]>>
} {
  const { missingOIDCScope = [], missingResourceScopes = {} } = details as {
    readonly missingOIDCScope?: readonly string[]
    readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>
  }
  return { openid: missingOIDCScope, resources: missingResourceScopes }
}

const isEqual = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
