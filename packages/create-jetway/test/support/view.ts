import { type Browser, chromium } from 'playwright-core'

/** The path of Debian's Chromium, installed by `.ci/chromium.mjs`. */
const launch = (): Promise<Browser> => chromium.launch({ executablePath: '/usr/bin/chromium' })

/** What a view has displayed, and what it has sent to its host. */
export interface ShownView {
  readonly first: string
  readonly again: string
  readonly sent: readonly string[]
  /** Errors of the page in the browser's console, such as violations of its content security policy. */
  readonly errors: readonly string[]
}

/** A result of the tool `roll_dice`. */
const roll = (...rolls: readonly number[]): object => ({
  content: [{ type: 'text', text: rolls.join(' + ') }],
  structuredContent: { rolls, total: rolls.reduce((sum, each) => sum + each, 0) },
})

/**
 * A page that shows a document in a frame as a host does: in a sandbox with an opaque origin, under the
 * policy that MCP Apps defines for a view without declared origins.
 */
const hostPage = (html: string): string => `<!doctype html><link rel="icon" href="data:,"><script>
const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
const meta = '<meta http-equiv="Content-Security-Policy" content="' + policy + '">'
window.sent = []
const results = ${JSON.stringify([roll(3, 4), roll(6, 6)])}
addEventListener('message', ({ source, data }) => {
  const { id, method, params } = data
  sent.push(method === 'tools/call' ? method + ' ' + JSON.stringify(params) : method)
  const send = (message) => source.postMessage({ jsonrpc: '2.0', ...message }, '*')
  if (method === 'ui/initialize')
    send({ id, result: { protocolVersion: params.protocolVersion, hostInfo: { name: 'test', version: '1' }, hostCapabilities: { serverTools: {} }, hostContext: {} } })
  if (method === 'ui/notifications/initialized') send({ method: 'ui/notifications/tool-result', params: results[0] })
  if (method === 'tools/call') send({ id, result: results[1] })
})
const frame = document.createElement('iframe')
frame.sandbox = 'allow-scripts'
frame.srcdoc = ${JSON.stringify(html).replaceAll('<', String.raw`\u003c`)}.replace('<head>', '<head>' + meta)
document.documentElement.append(frame)
</script>`

/** Shows a view in Chromium with the result of a first call, and makes it call the tool again. */
export async function showView(html: string): Promise<ShownView> {
  const browser = await launch()
  try {
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())))
    page.on('pageerror', ({ message }) => void errors.push(message))
    await page.setContent(hostPage(html))
    const frame = page.frameLocator('iframe')
    const shown = async (total: number): Promise<string> => {
      await frame.locator('#total', { hasText: String(total) }).waitFor()
      return frame
        .locator('#dice li')
        .allInnerTexts()
        .then((dice) => `${dice.join(' ')} = ${total}`)
    }
    const first = await shown(7)
    await frame.getByRole('button', { name: 'Roll again' }).click()
    const again = await shown(12)
    const sent = await page.evaluate<string[]>('sent')
    return { first, again, sent, errors }
  } finally {
    await browser.close()
  }
}
