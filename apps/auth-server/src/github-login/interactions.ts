import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import { CONSENT_HEADERS, consentPage } from './consent-page.ts'
import { type GitHubApp, type GitHubUser, loginUrl, userOf } from './github.ts'

/**
 * The path to which `oidc-provider` sends the browser. In GitHub's settings, the app's callback URL must be
 * the issuer's URL with this path.
 */
export const INTERACTION = '/interaction'

export interface LoginOptions {
  readonly issuer: string
  /** The scopes of the MCP server. */
  readonly scopes: readonly string[]
  readonly github: GitHubApp
  /** The secret that protects the login from other sites. */
  readonly secret: string
  /** Returns whether a user may log in. @default every GitHub user may */
  readonly mayLogIn?: (user: GitHubUser) => boolean
}

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>
type Result = Parameters<Provider['interactionFinished']>[2]

/**
 * Asks users for their consent, and then logs them in with GitHub. Users must consent first, because GitHub
 * knows only one client, and would immediately redirect a user who has already allowed it. MCP's Security Best
 * Practices call this the confused deputy problem.
 */
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
      // This throws without the interaction's cookie, because the same browser must begin and finish the
      // interaction.
      const interaction = await this.#provider.interactionDetails(request, response)
      const { pathname, searchParams } = new URL(request.url ?? '', this.#options.issuer)
      const path = `${INTERACTION}/${interaction.uid}`
      const route = `${request.method} ${pathname.slice(path.length)}`
      if (!pathname.startsWith(path)) throw new Error('Another interaction')
      if (route === 'GET ') return await this.#askForConsent(interaction, response)
      const isAllowed = route === 'POST /consent' && (await isAllowedBy(request))
      if (isAllowed) return void response.writeHead(303, { location: this.#loginUrl(interaction) }).end()
      if (route !== 'GET /github' && route !== 'POST /consent') return void response.writeHead(404).end()
      const result = route === 'GET /github' ? await this.#login(interaction, searchParams) : DENIED
      await this.#provider.interactionFinished(request, response, result)
    } catch (error) {
      console.error(String(error))
      if (response.headersSent) return void response.destroy()
      response
        .writeHead(400, { 'content-type': 'text/plain' })
        .end('The login has failed. Please try again.\n')
    }
  }

  async #askForConsent({ uid, params }: Interaction, response: ServerResponse): Promise<void> {
    const client = await this.#provider.Client.find(String(params['client_id']))
    response.writeHead(200, CONSENT_HEADERS).end(
      consentPage({
        action: `${INTERACTION}/${uid}/consent`,
        clientName: client?.clientName ?? String(params['client_id']),
        redirectHost: new URL(String(params['redirect_uri'])).host,
        resource: String(params['resource']),
        scopes: this.#requestedScopes(params),
      }),
    )
  }

  #loginUrl({ uid }: Interaction): string {
    const challenge = createHash('sha256').update(this.#secretFor('verifier', uid)).digest('base64url')
    return loginUrl(this.#options.github, { ...this.#callback(uid), challenge })
  }

  /**
   * Handles the redirect from GitHub. The state proves that the user has consented, because only an allowed
   * interaction receives it.
   */
  async #login({ uid, params }: Interaction, query: URLSearchParams): Promise<Result> {
    const { redirectUri, state } = this.#callback(uid)
    if (!isEqual(query.get('state') ?? '', state)) throw new Error('Another login')
    const code = query.get('code')
    if (code === null) return DENIED
    const verifier = this.#secretFor('verifier', uid)
    const user = await userOf(this.#options.github, { code, redirectUri, verifier })
    if (this.#options.mayLogIn?.(user) === false) return DENIED
    const accountId = `github:${user.id}`
    const grant = new this.#provider.Grant({ clientId: String(params['client_id']), accountId })
    grant.addOIDCScope(scopeOf(params))
    grant.addResourceScope(String(params['resource']), this.#requestedScopes(params).join(' '))
    return { login: { accountId }, consent: { grantId: await grant.save() } }
  }

  #requestedScopes(params: Interaction['params']): readonly string[] {
    const requested = scopeOf(params).split(' ')
    return this.#options.scopes.filter((scope) => requested.includes(scope))
  }

  #callback(uid: string): { readonly redirectUri: string; readonly state: string } {
    const redirectUri = `${this.#options.issuer}${INTERACTION}/${uid}/github`
    return { redirectUri, state: this.#secretFor('state', uid) }
  }

  /** Derives a secret that is the same for all requests in an interaction, so that nothing has to be stored. */
  #secretFor(purpose: 'state' | 'verifier', uid: string): string {
    return createHmac('sha256', this.#options.secret).update(`${purpose} ${uid}`).digest('base64url')
  }
}

const DENIED: Result = { error: 'access_denied', error_description: 'The user has not agreed' }

const scopeOf = ({ scope }: Interaction['params']): string => (typeof scope === 'string' ? scope : '')

/** The maximum length of the consent page's form, which has one field. */
const MAX_FORM = 1_024

async function isAllowedBy(request: IncomingMessage): Promise<boolean> {
  let form = ''
  for await (const chunk of request.setEncoding('utf8')) {
    form += chunk
    if (form.length > MAX_FORM) throw new Error('The form is too long')
  }
  return new URLSearchParams(form).get('answer') === 'allow'
}

const isEqual = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
