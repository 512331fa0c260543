/** Code, which may contain what looks like a link, or a link. */
const PARTS = /^```[\s\S]*?^```|`[^`\n]*`|(\[[^\]]*\]\()([^)\s]+)\)/gm

/** Replaces the targets of all links of a Markdown text, but not in its code. */
export const mapLinks = (markdown: string, map: (target: string) => string): string =>
  markdown.replaceAll(PARTS, (part, start?: string, target?: string) =>
    start === undefined || target === undefined ? part : `${start}${map(target)})`,
  )
