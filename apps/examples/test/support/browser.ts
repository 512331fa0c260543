import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { type Browser, chromium } from 'playwright-core'
import type * as InPage from './clients-in-page.ts'

/** The origin that the apps in the guides allow. */
const ORIGIN = 'https://app.example.com'

/** The page, in base64. It contains an icon, so that the browser does not request one. */
const PAGE = Buffer.from('<!doctype html><link rel="icon" href="data:,">').toString('base64')

/** Starts Debian's Chromium, which `.ci/chromium.mjs` installs. */
export const launch = (): Promise<Browser> => chromium.launch({ executablePath: '/usr/bin/chromium' })

/** Bundles the page's script. Its exports are available in the global `clients`. */
export async function bundleClients(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('./clients-in-page.ts', import.meta.url))],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    globalName: 'clients',
  })
  return outputFiles[0]?.text ?? ''
}

/** Calls a function from the script in a new page. Rejects with the text from the browser's console. */
export async function inPage<K extends keyof typeof InPage>(
  browser: Browser,
  script: string,
  name: K,
  visit: InPage.Visit,
): Promise<Awaited<ReturnType<(typeof InPage)[K]>>> {
  const context = await browser.newContext()
  // Chromium asks the user before a public page may access a loopback address.
  await context.grantPermissions(['local-network-access'], { origin: ORIGIN })
  const page = await context.newPage()
  const lines: string[] = []
  page.on('console', (message) => void lines.push(message.text()))
  page.on('pageerror', ({ message }) => void lines.push(message))
  try {
    // `page.route` is not used, because then Playwright would answer preflight requests itself.
    const devtools = await context.newCDPSession(page)
    await devtools.send('Fetch.enable', { patterns: [{ urlPattern: `${ORIGIN}/*` }] })
    devtools.on('Fetch.requestPaused', ({ requestId }) => {
      const response = { responseCode: 200, responseHeaders: [{ name: 'content-type', value: 'text/html' }] }
      void devtools.send('Fetch.fulfillRequest', { requestId, ...response, body: PAGE })
    })
    await page.goto(`${ORIGIN}/`)
    await page.addScriptTag({ content: script })
    const seen: unknown = await page.evaluate(`clients.${name}(${JSON.stringify(visit)})`)
    return seen as Awaited<ReturnType<(typeof InPage)[K]>>
  } catch (error) {
    throw new Error(`${String(error)}\nThe console of the browser:\n${lines.join('\n')}`, { cause: error })
  } finally {
    await context.close()
  }
}
