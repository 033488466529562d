/**
 * The document of the pages without a session. They load neither the router nor TanStack Query, so they open sooner. The
 * pages of one-time links are loaded on their own, because each operator opens one of them once.
 */
import { SignInPage } from './pages/sign-in/sign-in-page.tsx'
import { renderPage } from './render-page.tsx'

const loadNewAccount = () => import('./pages/sign-in/new-account-form.tsx')
const PAGES = new Map([
  ['/setup', async () => (await loadNewAccount()).SetupPage],
  ['/invitation', async () => (await loadNewAccount()).InvitationPage],
])

async function render(): Promise<void> {
  const Page = (await PAGES.get(location.pathname)?.()) ?? SignInPage
  renderPage(<Page />)
}

void render()
