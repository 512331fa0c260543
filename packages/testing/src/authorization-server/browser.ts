import type { SignInOptions } from './types.ts'

/** The maximum number of redirects. Sign-in and consent need about six. */
const MAX_REDIRECTS = 20

/** Follows an authorization URL through sign-in and consent, as a fresh browser would. */
export async function followSignIn(
  issuer: string,
  address: URL | string,
  { user, signal }: SignInOptions,
): Promise<string> {
  const cookies = new Map<string, string>()
  let url = new URL(address)
  if (user !== undefined) url.searchParams.set('login_hint', user)
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    if (url.origin !== issuer) return url.href
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(signal === undefined ? {} : { signal }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=;]+)=([^;]*)/.exec(cookie) ?? []
      if (name !== undefined && value !== undefined) cookies.set(name, value)
    }
    const text = await response.text()
    const location = response.headers.get('location')
    if (location === null) throw new Error(`The authorization server answered ${response.status}: ${text}`)
    url = new URL(location, url)
  }
  throw new Error(`The authorization server redirected more than ${MAX_REDIRECTS} times`)
}
