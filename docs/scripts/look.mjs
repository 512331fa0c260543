/**
 * Opens the built site in a real browser, as a reader with a wide and one with a narrow screen, and holds what is to be
 * seen to what it should look like. The screenshots stay in `docs/.vitepress/cache/screenshots`.
 */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { serveSite } from './serve.mjs'

const vitepress = fileURLToPath(new URL('../.vitepress/', import.meta.url))
const screenshots = join(vitepress, 'cache', 'screenshots')

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const WIDTHS = [1280, 390]
const INK = [0x14, 0x21, 0x3d]
const SIGN = [0xff, 0xc7, 0x2c]
const WHITE = [0xff, 0xff, 0xff]
const CODE = [0xf6, 0xf6, 0xf7]

/** What must be on a page, and the least share of its first screen that each colour takes. */
const PAGES = [
  {
    name: 'home',
    path: '/',
    title: /Jetway/,
    heading: /One MCP server, every client/,
    colours: [
      [INK, 0.05],
      [SIGN, 0.01],
      [WHITE, 0.2],
    ],
    layout: checkHome,
  },
  {
    name: 'guide',
    path: '/guide/tools',
    title: /Tools \| Jetway/,
    heading: /Tools/,
    colours: [
      [WHITE, 0.2],
      [CODE, 0.1],
    ],
    layout: checkGuide,
  },
]

/** @param {import('playwright-core').Page} page @param {string} selector */
async function boxOf(page, selector) {
  const box = await page.locator(selector).first().boundingBox()
  assert(box !== null, `${selector} is not to be seen`)
  return box
}

/** @param {import('playwright-core').Page} page @param {number} width */
async function checkHome(page, width) {
  const text = await boxOf(page, '.VPHero .main')
  const picture = await boxOf(page, '.VPHero .image-src')
  assert(picture.width > 200 && picture.height > 150, 'the picture has a size')
  if (width > 960) assert(picture.x >= text.x + text.width - 1, 'the picture stands beside the text')
  else assert(picture.y + picture.height <= text.y + 80, 'the picture stands above the text')
  const features = await page.locator('.VPFeature').all()
  assert.equal(features.length, 3)
  const tops = await Promise.all(features.map(async (feature) => (await feature.boundingBox())?.y))
  assert.equal(new Set(tops).size, width > 960 ? 1 : 3, 'features stand in a row, or below each other')
}

/** @param {import('playwright-core').Page} page @param {number} width */
async function checkGuide(page, width) {
  const body = await boxOf(page, '.vp-doc')
  const code = await boxOf(page, '.vp-doc div.language-ts')
  assert(code.width <= width && code.height > 200, 'code stays within the page')
  assert.equal(await page.locator('.vp-doc .source').first().textContent(), 'apps/examples/src/tools.ts')
  assert((await page.locator('.vp-doc div.language-ts span[style]').count()) > 20, 'code is highlighted')
  if (width < 960) return
  const sidebar = await boxOf(page, '.VPSidebar')
  assert(sidebar.x === 0 && sidebar.x + sidebar.width <= body.x, 'the sidebar stands beside the text')
  assert((await page.locator('.VPSidebar a').count()) > 10, 'the sidebar lists the guides')
}

/**
 * The share of each pixel colour on a screenshot, from a canvas of the browser itself: near enough counts, since
 * antialiasing and colour profiles differ.
 *
 * @param {import('playwright-core').Page} page @param {Buffer} png @param {number[][]} colours
 */
function measure(page, png, colours) {
  return page.evaluate(
    async ({ data, wanted }) => {
      const image = new Image()
      image.src = data
      await image.decode()
      const canvas = new OffscreenCanvas(image.width, image.height)
      const context = canvas.getContext('2d')
      if (context === null) throw new Error('no canvas')
      context.drawImage(image, 0, 0)
      const pixels = context.getImageData(0, 0, image.width, image.height).data
      const seen = new Set()
      const found = wanted.map(() => 0)
      for (let at = 0; at < pixels.length; at += 4) {
        seen.add((pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2])
        wanted.forEach((colour, index) => {
          if (colour.every((part, channel) => Math.abs(part - pixels[at + channel]) < 6)) found[index] += 1
        })
      }
      return { colours: seen.size, shares: found.map((count) => (count * 4) / pixels.length) }
    },
    { data: `data:image/png;base64,${png.toString('base64')}`, wanted: colours },
  )
}

/** @param {import('playwright-core').Browser} browser @param {string} origin */
async function visit(browser, origin, { name, path, title, heading, colours, layout }, width) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: 'light' })
  const complaints = []
  page.on('console', (said) => said.type() === 'error' && complaints.push(said.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('response', (reply) => reply.status() >= 400 && complaints.push(`${reply.status()} ${reply.url()}`))
  await page.goto(origin + path, { waitUntil: 'networkidle' })
  assert.match(await page.title(), title)
  assert.match(await page.locator('h1').first().innerText(), heading)
  await boxOf(page, width > 960 ? '.VPNavBarMenu' : '.VPNavBarHamburger')
  await boxOf(page, '.vp-doc div.language-ts')
  const scrollWidth = await page.evaluate(() => document.documentElement.scrollWidth)
  assert(scrollWidth <= width, `${scrollWidth} px are wider than the screen`)
  await layout(page, width)
  const png = await page.screenshot({ path: join(screenshots, `${name}-${width}.png`) })
  const measured = await measure(
    page,
    png,
    colours.map(([colour]) => colour),
  )
  assert(measured.colours > 40, `${measured.colours} colours are hardly a page`)
  colours.forEach(([colour, least], index) => {
    const share = measured.shares[index] ?? 0
    assert(share >= least, `rgb(${colour.join(' ')}) takes ${(share * 100).toFixed(2)} % of the screen`)
  })
  assert.deepEqual(complaints, [])
  await page.close()
}

/** The search finds a word of a guide, without asking anybody else. */
async function search(browser, origin) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  await page.goto(`${origin}/guide/tools`, { waitUntil: 'networkidle' })
  await page.locator('.VPNavBarSearch button').first().click()
  await page.locator('.VPLocalSearchBox input').fill('outputSchema')
  await page.locator('.VPLocalSearchBox .result').first().waitFor()
  await page.close()
}

mkdirSync(screenshots, { recursive: true })
const site = await serveSite(join(vitepress, 'dist'))
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGUMENTS })
let failed = 0
try {
  for (const page of PAGES) {
    for (const width of WIDTHS) {
      const what = `${page.name} at ${width} px`
      await visit(browser, site.origin, page, width).then(
        () => console.log(`✓ ${what}`),
        (error) => {
          failed += 1
          console.error(`✗ ${what}: ${error.message}`)
        },
      )
    }
  }
  await search(browser, site.origin)
  console.log('✓ search')
} finally {
  await browser.close()
  site.close()
}
if (failed > 0) process.exitCode = 1
