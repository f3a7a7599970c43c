var t=document.querySelector("#chain .start");if(t){let e=t.closest(".scroll"),n=e.getBoundingClientRect(),c=t.getBoundingClientRect();e.scrollLeft+=c.x+c.width/2-n.x-n.width/2}
