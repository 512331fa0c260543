import { contents, McpServer } from '@jetway/core'

// #region fixed
const notes = new Map([
  ['ann/today', '# Today\n\nWater the plants.'],
  ['ann/later', '# Later\n\nRead.'],
  ['bob/today', '# Today\n\nNothing.'],
])

export const server = new McpServer({ name: 'notes', version: '1.0.0' })

server.addResource({
  uri: 'notes://authors',
  name: 'authors',
  description: 'Everybody who has written a note',
  handler: () => [...new Set([...notes.keys()].map((key) => key.split('/')[0]))],
})
// #endregion

// #region template
server.addResourceTemplate({
  uriTemplate: 'notes://{author}/{note}',
  name: 'note',
  description: 'One note of an author',
  mimeType: 'text/markdown',
  handler: ({ author, note }) => notes.get(`${author}/${note}`),
  complete: {
    author: (typed) => ['ann', 'bob'].filter((author) => author.startsWith(typed)),
  },
  list: () => [...notes.keys()].map((key) => ({ uri: `notes://${key}`, name: key })),
})
// #endregion

// #region several
server.addResource({
  uri: 'notes://export',
  name: 'export',
  description: 'All notes, and a picture of the shelf',
  handler: () =>
    contents([
      { mimeType: 'text/markdown', text: [...notes.values()].join('\n\n') },
      { uri: 'notes://export/shelf', mimeType: 'image/gif', blob: Uint8Array.of(71, 73, 70) },
    ]),
})
// #endregion

// #region changed
/** Writes a note, and notifies its subscribers. */
export function write(author: string, note: string, text: string): void {
  notes.set(`${author}/${note}`, text)
  server.notify.resourceUpdated(`notes://${author}/${note}`)
}
// #endregion

// #region watch
/** The URIs with subscribers. A server that serves files would start file watchers here. */
export const watched = new Set<string>()

server.addResourceTemplate({
  uriTemplate: 'drafts://{author}',
  name: 'drafts',
  onSubscribe: (uri) => void watched.add(uri),
  onUnsubscribe: (uri) => void watched.delete(uri),
  handler: ({ author }) => `The drafts of ${author}`,
})

/** Announces a changed draft. Subscribers to all of the author's drafts are also notified. */
export const redraft = (author: string, draft: string): void =>
  server.notify.resourceUpdated(`drafts://${author}/${draft}`, { within: `drafts://${author}` })
// #endregion
