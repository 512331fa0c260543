import type { IncomingMessage, ServerResponse } from 'node:http'
import type { OidcProvider } from './load.ts'

/** The path to which `oidc-provider` sends the browser for sign-in and for consent. */
export const INTERACTION = '/interaction'

/** The user who signs in if the request has no `login_hint`. */
const DEFAULT_USER = 'alice'

/** Signs in, or consents to everything, and redirects the browser back without showing a page. */
export async function interact(
  provider: OidcProvider.Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const interaction = await provider.interactionDetails(request, response)
    const { login_hint: hint } = interaction.params
    const result =
      interaction.prompt.name === 'login'
        ? { login: { accountId: typeof hint === 'string' ? hint : DEFAULT_USER } }
        : { consent: { grantId: await consent(provider, interaction) } }
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true })
  } catch (error) {
    // The browser does not have the cookie for this interaction.
    response.writeHead(400, { 'content-type': 'text/plain' }).end(String(error))
  }
}

type Interaction = Awaited<ReturnType<OidcProvider.Provider['interactionDetails']>>

/** The scopes to which the user has not consented. */
interface Missing {
  readonly missingOIDCScope?: readonly string[]
  readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>
}

async function consent(
  { Grant }: OidcProvider.Provider,
  { params, session, grantId, prompt }: Interaction,
): Promise<string> {
  const known = grantId === undefined ? undefined : await Grant.find(grantId)
  const clientId = String(params['client_id'])
  const grant = known ?? new Grant({ clientId, ...(session && { accountId: session.accountId }) })
  const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details as Missing
  grant.addOIDCScope(missingOIDCScope.join(' '))
  for (const [resource, scopes] of Object.entries(missingResourceScopes))
    grant.addResourceScope(resource, scopes.join(' '))
  return grant.save()
}
