/**
 * Replaces the lines on a page between `<!-- name -->` and `<!-- /name -->`. The first comment may contain a
 * note after the name.
 *
 * @throws Error if the page does not contain the comments
 */
export function replaceMarked(page: string, name: string, lines: string): string {
  const marked = new RegExp(String.raw`(<!-- ${name}\b.*-->\n)[\s\S]*?(\n<!-- /${name} -->)`)
  if (!marked.test(page))
    throw new Error(`The page has no place for the text: add <!-- ${name} --> and <!-- /${name} -->`)
  return page.replace(marked, (_, start: string, end: string) => `${start}\n${lines}\n${end}`)
}
