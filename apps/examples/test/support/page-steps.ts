/** One instruction on a page. */
export type Step =
  | { readonly kind: 'save'; readonly file: string; readonly text: string }
  | { readonly kind: 'run'; readonly command: string }

const BLOCK = /^```(\w+)\n([\s\S]*?)^```$/gm
const SAVE = /\b[Ss]ave (?:this|it) as `([^`]+)`/

/**
 * Returns the steps on a page, in order. Shell blocks are run, and other blocks are saved if the text above
 * them names a file. The text above a TypeScript block must name one.
 */
export function stepsOf(markdown: string): readonly Step[] {
  let end = 0
  return [...markdown.matchAll(BLOCK)].flatMap((match): Step[] => {
    const [block, language = '', text = ''] = match
    const above = markdown.slice(end, match.index)
    end = match.index + block.length
    if (language === 'sh') return [{ kind: 'run', command: text.trim() }]
    const file = SAVE.exec(above)?.[1]
    if (file !== undefined) return [{ kind: 'save', file, text }]
    if (language === 'ts') throw new Error(`The page does not say where to save this file:\n${text}`)
    return []
  })
}

/** Returns a section of a page, without its heading. */
export function section(markdown: string, heading: string): string {
  const [, text] = markdown.split(new RegExp(`^## ${heading}$`, 'm'))
  if (text === undefined) throw new Error(`The page has no section ${heading}`)
  return text.split(/^## /m)[0] ?? ''
}
