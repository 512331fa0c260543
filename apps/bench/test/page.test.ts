import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { draw } from '../src/page.ts'
import { drawBars } from '../src/plots/bars.ts'
import { plotsOf } from '../src/plots/plots.ts'

it('the page and its plots show the stored results', () => {
  const drawn = draw()
  expect(drawn.length).toBeGreaterThan(1)
  const outdated = drawn.filter(({ path, text }) => readFileSync(path, 'utf8') !== text)
  expect(
    outdated.map(({ path }) => path),
    'write them by npm run bench -- --redraw',
  ).toEqual([])
})

it('the page shows every plot, in both themes', () => {
  const [page, ...plots] = draw()
  const missing = plots.filter(({ path }) => page?.text.includes(`../public/${basename(path)}`) !== true)
  expect(missing.map(({ path }) => path)).toEqual([])
})

it('plotsOf() omits plots without results', () => {
  expect(plotsOf({ machine: '', tables: [], imports: [], firstAnswers: [], memory: [] })).toEqual([])
})

it('drawBars() draws bars to scale, and labels each bar with its figure and range', () => {
  const bars = [
    { label: 'a & b', value: 1, text: '1.00', isOurs: false },
    { label: 'ours', value: 0.5, text: '0.50', isOurs: true, between: [0.4, 0.6] as const },
  ]
  const svg = drawBars(
    { title: 'Work', subtitle: 'Longer is better', groups: [{ label: 'call', bars }] },
    'light',
  )
  const widths = Array.from(
    svg.matchAll(/width="([\d.]+)" height="14" rx="4" fill="(?!#eef3f9)/g),
    ([, width]) => Number(width),
  )
  expect(widths).toHaveLength(2)
  expect((widths[1] ?? 0) / (widths[0] ?? 0)).toBeCloseTo(0.5)
  expect(svg).toContain('a &amp; b')
  expect(svg).toContain('>0.50</text>')
})
