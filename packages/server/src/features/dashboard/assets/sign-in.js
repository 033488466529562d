import { signIn, valuesOf } from './hub.js'

const form = document.querySelector('#sign-in')
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const message = document.querySelector('#message')
  message.textContent = ''
  message.textContent = await signIn(valuesOf(form)).catch(() => 'The hub cannot be reached.')
})
