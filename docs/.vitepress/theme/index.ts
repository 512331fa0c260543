import type { Theme } from 'vitepress'
// This is the variant without web fonts, because jetway.css uses the reader's system fonts.
import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import { NotFound } from './not-found.ts'
import { PageTools } from './page-tools.ts'
import { loadIndexEarly } from './search.ts'
import './jetway.css'

const theme: Theme = {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'doc-before': () => h(PageTools),
      'not-found': () => h(NotFound),
    }),
  enhanceApp: () => {
    // The pages are built in an environment without `window`.
    if (typeof window !== 'undefined') loadIndexEarly()
  },
}
export default theme
