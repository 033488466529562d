/** The document of the pages without a session. They load neither the router nor TanStack Query, so they open sooner. */
import { InvitationPage } from './pages/sign-in/invitation-page.tsx'
import { SetupPage } from './pages/sign-in/setup-page.tsx'
import { SignInPage } from './pages/sign-in/sign-in-page.tsx'
import { renderPage } from './render-page.tsx'

const PAGES = new Map([
  ['/setup', SetupPage],
  ['/invitation', InvitationPage],
])
const Page = PAGES.get(location.pathname) ?? SignInPage

renderPage(<Page />)
