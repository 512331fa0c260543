/** The key under which VitePress stores what the reader has typed into the search. */
const TYPED = 'vitepress:local-search-filter'

/** Opens the search with these words. */
export function openSearch(words: string): void {
  sessionStorage.setItem(TYPED, words)
  document.querySelector<HTMLElement>('.VPNavBarSearch button')?.click()
}

/**
 * Loads the index as soon as the reader is about to search, because VitePress loads it only when the search
 * is open, which would delay the first answer.
 */
export function loadIndexEarly(): void {
  const events = ['pointerover', 'focusin', 'keydown'] as const
  const listener = (event: Event): void => {
    const isNear = event.target instanceof Element && event.target.closest('.VPNavBarSearch, .search-again')
    const isKey = event instanceof KeyboardEvent && (event.ctrlKey || event.metaKey || event.key === '/')
    if (!isNear && !isKey) return
    for (const name of events) window.removeEventListener(name, listener)
    void import('@localSearchIndex').then(({ default: index }) => index['root']?.())
  }
  for (const name of events) window.addEventListener(name, listener, { passive: true })
}
