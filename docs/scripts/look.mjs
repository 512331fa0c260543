/**
 * Opens the built site in Chromium on a wide and on a narrow screen, and checks its layout, colours, console
 * output and search. Saves screenshots in `docs/.vitepress/cache/screenshots`.
 */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
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

/** The expected content of each page, and the minimum share of each colour on its first screen. */
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
  assert(box !== null, `${selector} is not visible`)
  return box
}

/** @param {import('playwright-core').Page} page @param {number} width */
async function checkHome(page, width) {
  const text = await boxOf(page, '.VPHero .main')
  const picture = await boxOf(page, '.VPHero .image-src')
  assert(picture.width > 200 && picture.height > 150, 'the picture is too small')
  if (width > 960) assert(picture.x >= text.x + text.width - 1, 'the picture is not at the right of the text')
  else assert(picture.y + picture.height <= text.y + 80, 'the picture is not above the text')
  await boxOf(page, '.VPHero .actions a:has-text("Deployment")')
  await boxOf(page, '.vp-doc div.language-sh:has-text("npm install")')
  await boxOf(page, '.vp-doc table:has-text("official SDK")')
  const features = await page.locator('.VPFeature').all()
  assert(features.length >= 3 && features.length % 3 === 0, 'the features do not fill rows of three')
  const tops = await Promise.all(features.map(async (feature) => (await feature.boundingBox())?.y))
  const rows = width > 960 ? features.length / 3 : features.length
  assert.equal(
    new Set(tops).size,
    rows,
    'the features are not in rows of three (wide) or in one column (narrow)',
  )
}

/** @param {import('playwright-core').Page} page @param {number} width */
async function checkGuide(page, width) {
  const body = await boxOf(page, '.vp-doc')
  const code = await boxOf(page, '.vp-doc div.language-ts')
  assert(code.width <= width && code.height > 200, 'a code block is wider than the page')
  assert.equal(await page.locator('.vp-doc .source').first().textContent(), 'apps/examples/src/tools/shop.ts')
  assert((await page.locator('.vp-doc div.language-ts span[style]').count()) > 20, 'code is not highlighted')
  if (width < 960) return
  const sidebar = await boxOf(page, '.VPSidebar')
  assert(sidebar.x === 0 && sidebar.x + sidebar.width <= body.x, 'the sidebar is not at the left of the text')
  assert((await page.locator('.VPSidebar a').count()) > 10, 'the sidebar does not list the guides')
}

/**
 * Measures the share of each colour in a screenshot, in the browser. Similar colours count as equal, since antialiasing
 * and colour profiles differ between machines.
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
      const distinct = new Set()
      const counts = wanted.map(() => 0)
      for (let at = 0; at < pixels.length; at += 4) {
        distinct.add((pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2])
        wanted.forEach((colour, index) => {
          if (colour.every((part, channel) => Math.abs(part - pixels[at + channel]) < 6)) counts[index] += 1
        })
      }
      return { colours: distinct.size, shares: counts.map((count) => (count * 4) / pixels.length) }
    },
    { data: `data:image/png;base64,${png.toString('base64')}`, wanted: colours },
  )
}

/** @param {import('playwright-core').Browser} browser @param {string} origin */
async function checkPage(browser, origin, { name, path, title, heading, colours, layout }, width) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: 'light' })
  const problems = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(error.message))
  page.on(
    'response',
    (response) => response.status() >= 400 && problems.push(`${response.status()} ${response.url()}`),
  )
  await page.goto(origin + path, { waitUntil: 'networkidle' })
  assert.match(await page.title(), title)
  assert.match(await page.locator('h1').first().innerText(), heading)
  await boxOf(page, width > 960 ? '.VPNavBarMenu' : '.VPNavBarHamburger')
  await boxOf(page, '.vp-doc div.language-ts')
  const scrollWidth = await page.evaluate(() => document.documentElement.scrollWidth)
  assert(
    scrollWidth <= width,
    `the page is ${scrollWidth} px wide and scrolls sideways on a screen of ${width} px`,
  )
  await layout(page, width)
  const png = await page.screenshot({ path: join(screenshots, `${name}-${width}.png`) })
  const measured = await measure(
    page,
    png,
    colours.map(([colour]) => colour),
  )
  assert(measured.colours > 40, `the screenshot has only ${measured.colours} colours: the page may be blank`)
  colours.forEach(([colour, least], index) => {
    const share = measured.shares[index] ?? 0
    assert(
      share >= least,
      `rgb(${colour.join(' ')}) covers ${(share * 100).toFixed(2)} % of the screen, expected at least ${least * 100} %`,
    )
  })
  assert.deepEqual(problems, [])
  await page.close()
}

/** Checks that every line of code in every guide is fully visible on a screen that is 1440 px wide. */
async function checkCodeFits(browser, origin) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  const guides = readdirSync(join(vitepress, 'dist', 'guide')).filter((name) => name.endsWith('.html'))
  const clipped = []
  for (const guide of guides) {
    await page.goto(`${origin}/guide/${guide.replace('.html', '')}`)
    const lines = await page.evaluate(() =>
      [...document.querySelectorAll('.vp-doc pre')].flatMap((block) =>
        block.scrollWidth > block.clientWidth + 1 ? [block.textContent?.slice(0, 60)] : [],
      ),
    )
    clipped.push(...lines.map((line) => `${guide}: ${line}`))
  }
  await page.close()
  assert.deepEqual(clipped, [])
}

/** Words that people type into the search, with the guides that they are looking for. */
const SEARCHES = [
  ['outputSchema', /tools|results-and-errors/],
  ['elicitation', /asking/],
  ['cli', /cli/],
  ['scaling', /scale-out/],
  ['troubleshooting', /troubleshooting/],
  ['api key', /api-keys/],
  ['jwt', /jwt/],
  ['docker', /deployment/],
  ['deployment', /deployment/],
  ['zod', /tools|install/],
  ['stdout', /stdio|troubleshooting/],
  ['image', /results-and-errors/],
  ['completion', /completion/],
  ['redis', /scale-out/],
  ['vercel', /deployment/],
]

/**
 * The maximum compressed size of the index, in bytes. The first answer cannot appear before the index has
 * loaded. The size is checked instead of the time, which depends on the machine's load.
 */
const MAX_INDEX = 160_000

/**
 * Checks that the search index is small, that the first result is a guide, and that the expected guide is
 * among the first three.
 */
async function checkSearch(browser, origin) {
  const chunks = join(vitepress, 'dist', 'assets', 'chunks')
  const index = readdirSync(chunks).find((name) => name.startsWith('@localSearchIndexroot'))
  const size = gzipSync(readFileSync(join(chunks, index ?? ''))).length
  assert(size <= MAX_INDEX, `the index of the search has ${size} bytes, more than ${MAX_INDEX}`)
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  await page.goto(`${origin}/guide/tools`, { waitUntil: 'networkidle' })
  await page.locator('.VPNavBarSearch button').first().click()
  const input = page.locator('.VPLocalSearchBox input')
  await input.waitFor()
  const start = performance.now()
  for (const [words, guide] of SEARCHES) {
    await input.fill(words)
    const first = page.locator('.VPLocalSearchBox .result').first()
    await page
      .waitForFunction(
        (pattern) => {
          const found = [...document.querySelectorAll('.VPLocalSearchBox .result')].slice(0, 3)
          const links = found.map((result) => result.getAttribute('href') ?? '')
          return links[0]?.includes('/guide/') && links.some((link) => new RegExp(pattern).test(link))
        },
        guide.source,
        { timeout: 5_000, polling: 20 },
      )
      .catch(async () => {
        throw new Error(`"${words}" finds ${await first.getAttribute('href')} first, not ${guide.source}`)
      })
    if (words !== SEARCHES[0]?.[0]) continue
    console.log(`  first answer after ${(performance.now() - start).toFixed(0)} ms`)
  }
  await page.close()
}

/** Checks that the page for a missing address offers to search for the words in the address. */
async function checkNotFound(browser, origin) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  await page.goto(`${origin}/guide/rate-limits`, { waitUntil: 'networkidle' })
  await page.locator('.search-again button').click()
  await page.locator('.VPLocalSearchBox .result').first().waitFor()
  assert.equal(await page.locator('.VPLocalSearchBox input').inputValue(), 'rate limits')
  await page.close()
}

/** Checks that a page's button copies its Markdown. */
async function checkCopy(browser, origin) {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  const page = await context.newPage()
  await page.goto(`${origin}/guide/tools`, { waitUntil: 'networkidle' })
  await page.locator('.page-tools button').click()
  await page.locator('.page-tools button:has-text("Copied")').waitFor()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  assert.match(copied, /^# Tools/)
  const links = [...copied.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  assert(links.length > 5, 'the copy of the page has no links')
  assert.deepEqual(
    links.filter((target) => !URL.canParse(target)),
    [],
    'the copy of the page has relative links',
  )
  for (const target of links.filter((link) => link.startsWith(origin)).slice(0, 5)) {
    const { status } = await fetch(target.replace(/#.*/, ''))
    assert.equal(status, 200, `the link ${target} of the copied page leads nowhere`)
  }
  await context.close()
}

/** Checks that the text in tables of options is within the screen of a phone. */
async function checkTables(browser, origin) {
  const page = await browser.newPage({ viewport: { width: 390, height: 900 } })
  for (const path of ['/reference/mount-options', '/guide/troubleshooting', '/reference/api/@jetway/core/']) {
    await page.goto(origin + path)
    const hidden = await page.evaluate(
      () =>
        [...document.querySelectorAll('.vp-doc table.stacked td:not(.empty)')].filter((cell) => {
          const { left, right } = cell.getBoundingClientRect()
          return left < 0 || right > innerWidth || cell.scrollWidth > cell.clientWidth + 1
        }).length,
    )
    const stacked = await page.locator('.vp-doc table.stacked').count()
    assert(stacked > 0, `${path} has no stacked table`)
    assert.equal(hidden, 0, `${hidden} cells of ${path} are beside the screen`)
    await page.screenshot({ path: join(screenshots, `table${path.replaceAll(/[/@]+/g, '-')}.png`) })
  }
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
      await checkPage(browser, site.origin, page, width).then(
        () => console.log(`✓ ${what}`),
        (error) => {
          failed += 1
          console.error(`✗ ${what}: ${error.message}`)
        },
      )
    }
  }
  const checks = {
    search: checkSearch,
    404: checkNotFound,
    'copy page': checkCopy,
    'tables at 390 px': checkTables,
    'code at 1440 px': checkCodeFits,
  }
  for (const [what, check] of Object.entries(checks)) {
    await check(browser, site.origin).then(
      () => console.log(`✓ ${what}`),
      (error) => {
        failed += 1
        console.error(`✗ ${what}: ${error.message}`)
      },
    )
  }
} finally {
  await browser.close()
  site.close()
}
if (failed > 0) process.exitCode = 1
