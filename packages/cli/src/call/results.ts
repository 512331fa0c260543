import type { CallToolResult, ContentBlock, GetPromptResult, ReadResourceResult } from '@jetway/core/protocol'
import { printable, type Terminal } from '../terminal.ts'

/** Prints a tool's result: its content, or its structured value if there is no content. */
export function printToolResult({ content, structuredContent }: CallToolResult, terminal: Terminal): void {
  for (const block of content) print(terminal, blockText(block))
  if (structuredContent !== undefined && !content.some(({ type }) => type === 'text'))
    print(terminal, JSON.stringify(structuredContent, undefined, 2))
  if (content.length === 0 && structuredContent === undefined)
    terminal.note('The result is empty. Does the handler return its value?')
}

export function printContents({ contents }: ReadResourceResult, terminal: Terminal): void {
  for (const each of contents) print(terminal, resourceText(each))
}

export function printMessages({ messages }: GetPromptResult, terminal: Terminal): void {
  for (const { role, content } of messages)
    print(terminal, `${terminal.colour('bold', role)}: ${blockText(content)}`)
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'resource':
      return resourceText(block.resource)
    case 'resource_link':
      return `[${block.name}] ${block.uri}`
    default:
      return binary(block.type, block.mimeType, block.data)
  }
}

type ResourceContents = ReadResourceResult['contents'][number]

const resourceText = (contents: ResourceContents): string =>
  'text' in contents ? contents.text : binary(contents.uri, contents.mimeType, contents.blob)

/** Describes binary data instead of printing it. Only `--json` prints the data. */
const binary = (what: string, mimeType: string | undefined, base64: string): string =>
  `[${what}${mimeType === undefined ? '' : ` ${mimeType}`}, ${Buffer.byteLength(base64, 'base64')} bytes]`

/**
 * Removes escape sequences from text that is printed to a terminal, but not from text that is written to a
 * file.
 */
function print(terminal: Terminal, text: string): void {
  terminal.print(terminal.streams.stdout.isTTY === true ? printable(text) : text)
}
