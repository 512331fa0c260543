import { withBase } from 'vitepress'
import { defineComponent, h, onMounted, ref } from 'vue'
import { openSearch } from './search.ts'

/** Returns the words in a path that does not exist, as a search. */
const wordsOf = (path: string): string =>
  decodeURI(path)
    .replace(/\.(?:html|md)$/, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => !['', 'guide', 'reference', 'design', 'docs', 'index'].includes(word))
    .join(' ')

export const NotFound = defineComponent(() => {
  const words = ref('')
  onMounted(() => (words.value = wordsOf(location.pathname)))
  const search = (event: Event): void => {
    event.preventDefault()
    openSearch(words.value)
  }
  return () =>
    h('div', { class: 'not-found' }, [
      h('p', { class: 'code' }, '404'),
      h('h1', 'This page does not exist'),
      h('form', { class: 'search-again', role: 'search', onSubmit: search }, [
        h('input', {
          type: 'search',
          'aria-label': 'Search the documentation',
          value: words.value,
          onInput: (event: Event) => (words.value = (event.target as HTMLInputElement).value),
        }),
        h('button', { type: 'submit' }, 'Search'),
      ]),
      h('p', [
        'Or begin with the ',
        h('a', { href: withBase('/guide/quickstart') }, 'quickstart'),
        ', the ',
        h('a', { href: withBase('/guide/cli') }, 'command'),
        ' or ',
        h('a', { href: withBase('/guide/troubleshooting') }, 'troubleshooting'),
        '.',
      ]),
    ])
})
