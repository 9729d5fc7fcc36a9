# The files of the page become arrays of bytes in the program.
PAGE_PARTS := $(addprefix $(OUT)/serve/,page.html.inc page.css.inc page.js.inc icon.svg.inc)
FLAGS_page := -I$(OUT)
$(OUT)/serve/page.o: $(PAGE_PARTS)
$(PAGE_PARTS): $(OUT)/serve/%.inc: src/serve/%
	@mkdir -p $(@D)
	@od -An -v -tx1 $< | sed -e 's/ *\([0-9a-f][0-9a-f]\)/0x\1,/g' >$@
