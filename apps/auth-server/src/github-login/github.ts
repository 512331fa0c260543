/** An OAuth app. See https://github.com/settings/developers. */
export interface GitHubApp {
  readonly clientId: string
  readonly clientSecret: string
  /** @default https://github.com */
  readonly origin?: string
  /** @default https://api.github.com */
  readonly api?: string
}

/** A GitHub user. The id is permanent, but a login can be reused. */
export interface GitHubUser {
  readonly id: number
  readonly login: string
}

/** Returns the address of GitHub's login page. It requests no scopes, because the profile is public. */
export function loginUrl(
  { clientId, origin = 'https://github.com' }: GitHubApp,
  { redirectUri, state, challenge }: Readonly<Record<'redirectUri' | 'state' | 'challenge', string>>,
): string {
  const url = new URL('/login/oauth/authorize', origin)
  url.search = String(
    new URLSearchParams({
      client_id: clientId,
      redirect_uri: redirectUri,
      state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    }),
  )
  return url.href
}

/**
 * Returns the user for whom GitHub issued a code. GitHub's token is used once, and is not stored.
 *
 * @throws Error if GitHub refuses the code
 */
export async function userOf(
  { clientId, clientSecret, origin = 'https://github.com', api = 'https://api.github.com' }: GitHubApp,
  { code, redirectUri, verifier }: Readonly<Record<'code' | 'redirectUri' | 'verifier', string>>,
): Promise<GitHubUser> {
  const { access_token: token } = await json(
    await fetch(new URL('/login/oauth/access_token', origin), {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({
        client_id: clientId,
        client_secret: clientSecret,
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      }),
      signal: AbortSignal.timeout(10_000),
    }),
  )
  // GitHub replies to an invalid code with status 200.
  if (typeof token !== 'string') throw new Error('GitHub has refused the code')
  const { id, login } = await json(
    await fetch(new URL('/user', api), {
      headers: { accept: 'application/vnd.github+json', authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(10_000),
    }),
  )
  if (typeof id !== 'number' || typeof login !== 'string') throw new Error('GitHub has named no user')
  return { id, login }
}

async function json(response: Response): Promise<Readonly<Record<string, unknown>>> {
  if (!response.ok) throw new Error(`GitHub has answered with status ${response.status}`)
  return (await response.json()) as Record<string, unknown>
}
