import type { IncomingMessage } from 'node:http'
import { listen } from '@jetway-apps/test-support/http'
import { expect, it, onTestFinished } from 'vitest'
import { followSignIn } from '../../src/authorization-server/browser.ts'

const APP = 'https://app.test/callback'

/** Starts a server that redirects each request to the next location. */
async function redirecting(
  locationOf: (count: number) => string,
): Promise<{ readonly origin: string; readonly asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = []
  const { origin, release } = await listen((request, response) => {
    asked.push(request)
    response.writeHead(302, {
      location: locationOf(asked.length),
      'set-cookie': [`a=${asked.length}; Path=/`, `n${asked.length}=x`, 'odd'],
    })
    response.end()
  })
  onTestFinished(release)
  return { origin, asked }
}

it('`followSignIn` keeps cookies, and stops at another origin', async () => {
  const { origin, asked } = await redirecting((count) => (count < 3 ? `/next/${count}` : `${APP}?code=1`))
  expect(await followSignIn(origin, `${origin}/start?x=1`, {})).toBe(`${APP}?code=1`)
  expect(asked.map(({ url }) => url)).toEqual(['/start?x=1', '/next/1', '/next/2'])
  expect(asked.map(({ headers }) => headers.cookie?.split('; '))).toEqual([
    [''],
    ['a=1', 'n1=x'],
    ['a=2', 'n1=x', 'n2=x'],
  ])
})

it("`followSignIn` sends the user's name", async () => {
  const { origin, asked } = await redirecting(() => APP)
  await followSignIn(origin, new URL(`${origin}/start`), { user: 'bob' })
  expect(asked[0]?.url).toBe('/start?login_hint=bob')
})

it.each([
  [21, 'resolves'],
  [22, 'rejects'],
])('`followSignIn` follows at most 20 redirects: a chain of %s URLs %s', async (count, how) => {
  const { origin, asked } = await redirecting((seen) => (seen < count - 1 ? `/${seen}` : APP))
  const followed = followSignIn(origin, `${origin}/`, {})
  if (how === 'resolves') expect(await followed).toBe(APP)
  else await expect(followed).rejects.toThrow('redirected more than 20 times')
  expect(asked).toHaveLength(Math.min(count - 1, 21))
})

it('`followSignIn` stops when its signal aborts', async () => {
  const signal = AbortSignal.abort(new Error('enough'))
  await expect(followSignIn('http://127.0.0.1:9', 'http://127.0.0.1:9/', { signal })).rejects.toThrow(
    'enough',
  )
})
