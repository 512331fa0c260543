/** Matches either code, which may contain text that looks like a link, or a link. */
const PARTS = /^```[\s\S]*?^```|`[^`\n]*`|(\[[^\]]*\]\()([^)\s]+)\)/gm

/** Replaces the targets of all links in a Markdown text, except in code. */
export const mapLinks = (markdown: string, map: (target: string) => string): string =>
  markdown.replaceAll(PARTS, (part, start?: string, target?: string) =>
    start === undefined || target === undefined ? part : `${start}${map(target)})`,
  )
