/** The document of the pages without a session. They load neither the router nor TanStack Query, so they open sooner. */
import { InvitationPage, SetupPage } from './pages/sign-in/new-account-form.tsx'
import { SignInPage } from './pages/sign-in/sign-in-page.tsx'
import { renderPage } from './render-page.tsx'

const PAGES = new Map([
  ['/setup', SetupPage],
  ['/invitation', InvitationPage],
])
const Page = PAGES.get(location.pathname) ?? SignInPage

renderPage(<Page />)
