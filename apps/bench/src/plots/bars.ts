/** One bar of a plot. */
export interface Bar {
  readonly label: string
  readonly value: number
  /** The figure shown to the right of the bar. */
  readonly text: string
  /** The values of the worst and the best start. */
  readonly between?: readonly [least: number, most: number]
  /** Jetway's bars have their own colour. */
  readonly isOurs: boolean
}

export interface BarGroup {
  readonly label: string
  readonly bars: readonly Bar[]
}

/** A horizontal bar chart. */
export interface BarPlot {
  readonly title: string
  readonly subtitle: string
  readonly groups: readonly BarGroup[]
  /** A value that the bars are compared with, drawn as a line. */
  readonly mark?: { readonly value: number; readonly label: string }
}

export type Theme = 'light' | 'dark'

interface Colours {
  readonly panel: string
  readonly border: string
  readonly track: string
  readonly text: string
  readonly faint: string
  readonly ours: string
  readonly other: string
  readonly whisker: string
  readonly mark: string
}

const THEMES: Readonly<Record<Theme, Colours>> = {
  light: {
    panel: '#ffffff',
    border: '#d5deea',
    track: '#eef3f9',
    text: '#14213d',
    faint: '#5b6b86',
    ours: '#0e6ca6',
    other: '#a9b8cc',
    whisker: '#14213d',
    mark: '#d99a00',
  },
  dark: {
    panel: '#14213d',
    border: '#2c3f69',
    track: '#1b2b4f',
    text: '#f4f7fb',
    faint: '#a9bad3',
    ours: '#8fb8de',
    other: '#50648f',
    whisker: '#f4f7fb',
    mark: '#ffc72c',
  },
}

const WIDTH = 830
const PAD = 22
const LABELS = 200
/** The width of the column with the figures, to the right of the bars. */
const FIGURES = 96
const TOP = 84
const ROW = 24
const BAR = 14
const GROUP = 30
const FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"
const LEFT = PAD + LABELS
const LENGTH = WIDTH - PAD - FIGURES - LEFT

/** Draws a plot as SVG. */
export function drawBars({ title, subtitle, groups, mark }: BarPlot, theme: Theme): string {
  const colours = THEMES[theme]
  const values = groups.flatMap(({ bars }) => bars.map(({ value, between }) => between?.[1] ?? value))
  const longest = Math.max(...values, mark?.value ?? 0)
  const x = (value: number): number => round(LEFT + (LENGTH * value) / longest)
  let y = TOP
  const body: string[] = []
  for (const { label, bars } of groups) {
    body.push(text(PAD, y + 18, label, { size: 13, weight: 600, fill: colours.text }))
    y += GROUP
    for (const bar of bars) {
      body.push(...drawBar(bar, y, x, colours))
      y += ROW
    }
    y += 8
  }
  const height = y + 14
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="${FONT}" role="img">`,
    `<title>${escape(`${title}. ${subtitle}`)}</title>`,
    `<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="14" fill="${colours.panel}" stroke="${colours.border}"/>`,
    text(PAD, 38, title, { size: 19, weight: 700, fill: colours.text }),
    text(PAD, 60, subtitle, { size: 13, fill: colours.faint }),
    ...body,
    ...(mark === undefined ? [] : drawMark(mark, x(mark.value), y, colours)),
    '</svg>',
    '',
  ].join('\n')
}

function drawBar(bar: Bar, top: number, x: (value: number) => number, colours: Colours): string[] {
  const middle = top + ROW / 2
  const barTop = middle - BAR / 2
  const end = x(bar.value)
  const width = round(Math.max(end - LEFT, 1.5))
  return [
    text(LEFT - 12, middle + 4.5, bar.label, { size: 12.5, fill: colours.faint, anchor: 'end' }),
    `<rect x="${LEFT}" y="${barTop}" width="${LENGTH}" height="${BAR}" rx="4" fill="${colours.track}"/>`,
    `<rect x="${LEFT}" y="${barTop}" width="${width}" height="${BAR}" rx="4" fill="${bar.isOurs ? colours.ours : colours.other}"/>`,
    ...(bar.between === undefined
      ? []
      : [
          `<path d="M${x(bar.between[0])} ${middle}H${x(bar.between[1])}" stroke="${colours.whisker}" stroke-width="1.5" stroke-linecap="round"/>`,
        ]),
    text(WIDTH - PAD, middle + 4.5, bar.text, {
      size: 12.5,
      weight: 600,
      fill: colours.text,
      anchor: 'end',
    }),
  ]
}

function drawMark(
  { label }: { readonly label: string },
  x: number,
  bottom: number,
  { mark, faint }: Colours,
): string[] {
  return [
    `<path d="M${x} ${TOP + 6}V${bottom}" stroke="${mark}" stroke-width="1.5" stroke-dasharray="4 3"/>`,
    text(x, TOP - 1, label, { size: 12, fill: faint, anchor: 'middle' }),
  ]
}

interface TextStyle {
  readonly size: number
  readonly fill: string
  readonly weight?: number
  readonly anchor?: 'middle' | 'end'
}

function text(x: number, y: number, content: string, { size, fill, weight, anchor }: TextStyle): string {
  const style = [
    `font-size="${size}"`,
    ...(weight === undefined ? [] : [`font-weight="${weight}"`]),
    ...(anchor === undefined ? [] : [`text-anchor="${anchor}"`]),
  ].join(' ')
  return `<text x="${round(x)}" y="${y}" ${style} fill="${fill}">${escape(content)}</text>`
}

const round = (value: number): number => Math.round(value * 10) / 10

const escape = (content: string): string => content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
