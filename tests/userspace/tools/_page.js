// SPDX-License-Identifier: MIT
// Runs the script of a page that sov wrote in a document without a browser, and prints what the page
// says about its data: node _page.js FILE MEMBER
'use strict';
const fs = require('fs');
const text = fs.readFileSync(process.argv[2], 'utf8');
const data = text.match(/<script id="\w+" type="application\/json">\n([^]*?)<\/script>/)[1];
const script = text.match(/<script>\n([^]*?)<\/script>/)[1];
const dataset = {};
function thing() {
  return new Proxy(function () {}, {
    get: (target, key) => key === 'dataset' ? dataset : key === 'textContent' ? data
      : key === 'clientWidth' || key === 'clientHeight' ? 800 : key === Symbol.toPrimitive ? () => 0
      : key in target && key !== 'name' && key !== 'length' ? target[key] : target[key] = thing(),
    set: (target, key, value) => { target[key] = value; return true; },
    apply: () => thing(),
  });
}
const document = {getElementById: () => thing(), createElement: () => thing(), createElementNS: () => thing(), body: {dataset}};
new Function('document', 'getComputedStyle', 'addEventListener', 'devicePixelRatio', script)(document, thing, () => {}, 1);
console.log(dataset[process.argv[3]]);
